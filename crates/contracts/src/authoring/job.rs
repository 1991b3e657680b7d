//! The job resource, the list of jobs, and what a cancelled job answers.

use super::AgentType;
use crate::{
    json::{Json, Number, Object},
    wire::{Integer, Nullable, Timestamp, wire, words},
};

wire! {
    /// A job and how it stands: `GET /api/agents/jobs/:id`.
    pub open struct Job = "authoring/job" {
        /// The job's id.
        id: String [minLength: 1],
        /// Which agent does it.
        kind as "type": AgentType,
        /// Its state.
        state: JobState,
        /// What the agent was given.
        payload: Option<Nullable<Object<'static>>>,
        /// What the agent made.
        result: Option<Nullable<Object<'static>>>,
        /// What went wrong.
        error: Option<Json<'static>>,
        /// What went wrong, as a code.
        error_code as "errorCode": Option<Nullable<String>>,
        /// What went wrong, in words.
        error_message as "errorMessage": Option<Nullable<String>>,
        /// Which model was used and what it cost.
        ai_metrics as "aiMetrics": Option<Nullable<AiMetrics>>,
        /// How good the result is, in percent.
        quality_score as "qualityScore": Option<Nullable<Number<'static>>> [minimum: 0, maximum: 100],
        /// When it was submitted.
        created_at as "createdAt": Option<Timestamp>,
        /// When it last changed.
        updated_at as "updatedAt": Option<Timestamp>,
    }
}

words! {
    /// Where a job can stand.
    pub enum JobState {
        Pending = "pending",
        Running = "running",
        Completed = "completed",
        Failed = "failed",
        AwaitingApproval = "awaiting_approval",
    }
}

wire! {
    /// Which model was wanted, which was used, and what it cost.
    pub open struct AiMetrics {
        /// What was asked for.
        requested: Option<Nullable<ModelChoice>>,
        /// What was used.
        resolved: Option<Nullable<ModelChoice>>,
        /// Totals.
        summary: Option<Nullable<MetricsSummary>>,
    }
}

wire! {
    /// A provider's model.
    pub open struct ModelChoice {
        /// The provider.
        provider: Option<String>,
        /// The model.
        model: Option<String>,
        /// Whose key paid.
        key_source as "keySource": Option<String>,
    }
}

wire! {
    /// Totals over a job's model calls.
    pub open struct MetricsSummary {
        /// Time in the model.
        total_duration_ms as "totalDurationMs": Option<Number<'static>> [minimum: 0],
        /// Tokens sent.
        input_tokens as "inputTokens": Option<Integer> [minimum: 0],
        /// Tokens received.
        output_tokens as "outputTokens": Option<Integer> [minimum: 0],
        /// Both.
        total_tokens as "totalTokens": Option<Integer> [minimum: 0],
        /// What they cost, in US dollars.
        estimated_cost_usd as "estimatedCostUsd": Option<Nullable<Number<'static>>> [minimum: 0],
    }
}

wire! {
    /// A page of jobs: `GET /api/agents/jobs`.
    pub open struct JobList = "authoring/list" {
        /// The jobs.
        items: Vec<Job>,
        /// Where the next page begins.
        next_cursor as "nextCursor": Option<Nullable<String>>,
    }
}

wire! {
    /// A job that was cancelled: `POST /api/agents/jobs/:id/cancel`.
    pub open struct JobCancelled = "authoring/cancelled" {
        /// The job's id.
        id: String [minLength: 1],
        /// Its state, which is `failed`.
        state: CancelledState,
        /// What happened, in words.
        message: String,
    }
}

words! {
    /// A cancelled job has failed.
    pub enum CancelledState { Failed = "failed" }
}
