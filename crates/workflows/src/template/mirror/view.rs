//! What a state file says of its run, in so far as others are shown it.

use consign_engine::{Data, Fault, RunId};
use serde::{Deserialize, Serialize};

/// A template creation at one commit of its state file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub run: RunId,
    /// Commits of the state file.
    pub seq: u64,
    pub project_path: String,
    pub output_path: String,
    pub template_name: String,
    pub phase: u8,
    pub phase_name: String,
    /// The place inside the phase.
    pub checkpoint: String,
    #[serde(default)]
    pub completed: Vec<Completed>,
    /// The request that waits for an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
}

/// A phase that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completed {
    pub phase: u8,
    pub phase_name: String,
    pub summary: String,
}

/// A request that waits for an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    pub request_id: String,
    pub agent_name: String,
    /// That of the request, which is not always that of the state.
    pub phase_name: String,
    pub prompt: String,
    pub retry_count: u32,
    /// The JSON Schema of the answer.
    pub schema: Data,
}

/// How a template creation ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    Succeeded(Data),
    Failed(Fault),
}
