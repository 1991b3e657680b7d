//! `job_manifest.json`: what a job is and how it stands.

use crate::{
    json::Number,
    wire::{Nullable, Timestamp, wire, words},
};

wire! {
    /// A job's state and totals.
    pub open struct JobManifest = "job/manifest" {
        /// Names the job.
        job_id: String,
        /// What the job is for.
        description: Option<String>,
        /// Where the job stands.
        status: JobStatus,
        /// The phase that is under way.
        current_phase: Option<Nullable<String>>,
        /// What the job has used.
        metrics: Metrics,
        /// What happened, shortly.
        history: Option<Vec<HistoryEntry>>,
    }
}

wire! {
    /// A job's totals.
    pub open struct Metrics {
        /// Cost so far, in US cents.
        cumulative_cost: Option<Number<'static>> [minimum: 0],
        /// Active time so far.
        cumulative_time_seconds: Option<Number<'static>> [minimum: 0],
    }
}

wire! {
    /// One line of a job's past.
    pub open struct HistoryEntry {
        /// When it happened.
        timestamp: Option<Timestamp>,
        /// Who acted.
        role: Option<String>,
        /// What they decided.
        action: Option<String>,
        /// What they left behind.
        evidence_files: Option<Vec<String>>,
    }
}

words! {
    /// Where a job can stand.
    pub enum JobStatus {
        Draft = "DRAFT",
        Pending = "PENDING",
        Running = "RUNNING",
        Reviewing = "REVIEWING",
        Success = "SUCCESS",
        Canceled = "CANCELED",
        InterventionRequired = "INTERVENTION_REQUIRED",
        HaltedCost = "HALTED_COST",
        HaltedTime = "HALTED_TIME",
    }
}
