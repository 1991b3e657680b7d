//! What a turn of a conversation is given, and what it ends with.

use consign_engine::{At, Data, Fault};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PlanStep;
use crate::failure::Failed;

/// The input of a run that makes a turn. The guard has looked at the message already: it is here as it may go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnInput {
    pub session: String,
    /// The conversation that the session names now.
    pub conversation: String,
    /// Counts from 0.
    pub number: u32,
    /// What the user said, with what is private taken out.
    pub message: String,
    /// What the guard said of it, as contract `crew/guardrails.output` has it.
    pub guard: Value,
    /// The failures of the guard before it gave its verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failed>,
    /// What was said before, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<HistoryMessage>,
    /// The word of the contract: `Technical`, `Executive` or `General`.
    pub persona: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formatting_instructions: Option<String>,
    /// Only documents of this collection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// What the user likes, as the conversation keeps it after this turn.
    #[serde(default)]
    pub preferences: Map<String, Value>,
    /// Which marks stand for which private values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<Data>,
    /// The model that writes the answer; without one it is made of quotes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub asked_at: At,
}

impl TurnInput {
    /// Reads the input of a run.
    ///
    /// # Errors
    /// `INVALID_INPUT`, with what cannot be read.
    pub fn read(input: &Data) -> Result<Self, Fault> {
        input.to().map_err(|cause| {
            Fault::permanent("INVALID_INPUT", format!("the input of a turn: {cause}"))
        })
    }
}

/// Something that was said in an earlier turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryMessage {
    /// `user`, `assistant` or `system`.
    pub role: String,
    pub content: String,
}

/// What a turn ends with: the members of contract `crew/orchestrator.output`, and what happened on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnOutcome {
    pub final_response: Value,
    pub execution_plan: Vec<PlanStep>,
    pub processing_time_total_ms: f64,
    /// Failures of agents, in the order in which they happened.
    pub failures: Vec<Failed>,
    /// Instructions that stood in documents: `{risk_category, source_id, chunk_id}`.
    pub warnings: Vec<Value>,
    /// How many sentences were taken out of answers because nothing supports them, also of answers that were written again.
    #[serde(default)]
    pub unsupported: u64,
    pub session_id: String,
}
