//! What an agent is given for a phase.

use super::Action;
use crate::{json::Number, wire::wire};

wire! {
    /// A phase's work, as it is handed to an agent.
    pub open struct JobRequest = "job/request" {
        /// The job.
        job_id: String,
        /// The phase.
        phase: String,
        /// Files to read first, relative to the workspace.
        context_files: Vec<String>,
        /// The role's standing instructions.
        system_prompt: String,
        /// What to do in this phase.
        task_description: String,
        /// Bounds and expectations.
        metadata: Option<RequestMetadata>,
    }
}

wire! {
    /// The bounds that the agent works under.
    pub open struct RequestMetadata {
        /// Most that the job may cost, in US cents; 0 is no bound.
        cost_threshold: Option<Number<'static>> [minimum: 0, default: 1000],
        /// Most active time that the job may take; 0 is no bound.
        time_threshold_minutes: Option<Number<'static>> [minimum: 0, default: 60],
        /// The actions that are understood.
        accepted_formats: Option<Vec<Action>>,
    }
}
