//! `jobHistory.json`: every exchange of a job, word for word.

use super::{Action, JobStatus};
use crate::{
    json::{Number, Object},
    wire::{Integer, Timestamp, rules, wire, words},
};

wire! {
    /// All that was said in a job, and the points to which it can return.
    pub open struct JobHistory = "job/history" {
        /// The job.
        job_id: String,
        /// When the history begins.
        created_at: Timestamp,
        /// Every exchange with an agent, in order.
        interactions: Vec<Interaction>,
        /// Places to restore or go on from.
        recovery_points: Option<Vec<RecoveryPoint>>,
    }
}

wire! {
    /// One exchange with an agent.
    pub open struct Interaction {
        /// Counts from 0.
        sequence: Integer [minimum: 0],
        /// When it happened.
        timestamp: Timestamp,
        /// The job's status before it.
        state_before: JobStatus,
        /// The workspace at that time.
        workspace_path: Option<String>,
        /// What the agent was sent.
        request: InteractionRequest,
        /// What came back.
        response: InteractionResponse,
    }
}

wire! {
    /// What an agent was sent.
    pub open struct InteractionRequest {
        /// The exact prompt.
        prompt: String,
        /// The files in the agent's context.
        files_context: Vec<String>,
        /// How the model was called.
        metadata: Option<InteractionMetadata>,
    }
}

wire! {
    /// How the model was called.
    pub open struct InteractionMetadata {
        /// The agent's role.
        role: Option<String>,
        /// The phase.
        phase: Option<String>,
        /// The model's name.
        model: Option<String>,
        /// The sampling temperature.
        temperature: Option<Number<'static>>,
        /// Most tokens to answer with.
        max_tokens: Option<Integer>,
    }
}

wire! {
    /// What came back from an agent. Without an answer there is only a status.
    pub open struct InteractionResponse {
        /// Whether there was an answer.
        status: Outcome,
        /// What the agent decided.
        action: Option<Action>,
        /// What the agent left behind.
        evidence_files: Option<Vec<String>>,
        /// What the agent told its supervisor.
        summary_for_supervisor: Option<String>,
        /// The answer as it came.
        raw_response: Option<String>,
        /// How long the call took.
        execution_time_seconds: Option<Number<'static>> [minimum: 0],
        /// What the call cost, in US dollars.
        cost_usd: Option<Number<'static>> [minimum: 0],
        /// The job's status after it.
        new_status: Option<JobStatus>,
    }
}

wire! {
    /// A place to return to. It is named by `checkpoint_id` or `id`, and may carry the fields of
    /// both forms.
    pub open struct RecoveryPoint {
        /// The interaction after which it was taken.
        sequence: Integer [minimum: 0],
        /// Its name in the first form.
        checkpoint_id: Option<String>,
        /// Whether the job can go on from here.
        can_resume_from: Option<bool>,
        /// What had been reached.
        description: Option<String>,
        /// Its name in the second form.
        id: Option<String>,
        /// The phase to go on with.
        resume_phase: Option<String>,
        /// Files and folders to bring back.
        rollback_files: Option<Vec<String>>,
        /// Anything else worth knowing.
        metadata: Option<Object<'static>>,
    }
    with rules(r#"{"anyOf": [{"required": ["checkpoint_id"]}, {"required": ["id"]}]}"#)
}

words! {
    /// How a call ended.
    pub enum Outcome {
        Success = "SUCCESS",
        Error = "ERROR",
        Timeout = "TIMEOUT",
    }
}
