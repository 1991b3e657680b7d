//! Revising a finished job: `POST /api/agents/jobs/:id/revise`.

use super::JobState;
use crate::wire::{wire, words};

wire! {
    /// What should change in a job's result.
    pub open struct JobRevision = "authoring/revise" {
        /// The wish, in words.
        instruction: String [minLength: 1],
        /// Whether to change what is there or to begin anew.
        mode: RevisionMode,
        /// What may change.
        scope: RevisionScope,
    }
}

words! {
    /// How a revision is made.
    pub enum RevisionMode {
        Edit = "edit",
        Regenerate = "regenerate",
    }
}

words! {
    /// What a revision may change.
    pub enum RevisionScope {
        Files = "files",
        Plan = "plan",
        Both = "both",
    }
}

wire! {
    /// The job that makes the revision: `201`.
    pub open struct JobRevised = "authoring/revised" {
        /// The new job's id.
        job_id as "jobId": String [minLength: 1],
        /// The job that it revises.
        parent_job_id as "parentJobId": String [minLength: 1],
        /// The new job's state.
        state: JobState,
    }
}
