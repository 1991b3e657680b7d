//! The one JSON object that an agent answers with.

use crate::wire::{wire, words};

wire! {
    /// What an agent says at the end of its turn.
    pub open struct AgentResponse = "job/agent-response" {
        /// What should happen next.
        action: Action,
        /// Files that were made, changed or read, relative to the workspace.
        evidence_files: Vec<String> [minItems: 0],
        /// Two or three sentences for whoever comes next.
        summary_for_supervisor: String [maxLength: 500],
    }
}

words! {
    /// An agent's decision about its phase.
    pub enum Action {
        /// The phase is done.
        Completed = "COMPLETED",
        /// A person must help.
        Stuck = "STUCK",
        /// The phase should run again.
        Retry = "RETRY",
    }
}
