//! Who spoke, when, and with which model.

use crate::wire::{Timestamp, wire};

wire! {
    /// Who spoke, when, and with which model.
    pub open struct AgentMetadata = "crew/agent-metadata" {
        /// The agent.
        agent_id: String,
        /// When; a reader takes an absent one as now.
        timestamp: Option<Timestamp>,
        /// The model and its version.
        model_version: String,
    }
}
