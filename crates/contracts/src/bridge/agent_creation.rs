//! The agents that `architectural-reviewer` recommends: the JSON in the `response` of phase 5.

use serde_json::json;

use crate::{
    json::Number,
    wire::{Integer, Nullable, wire},
};

wire! {
    /// Agents that would help with a project of this kind. An empty list says that none would.
    pub open struct AgentCreation = "bridge/response.agent_creation" {
        /// The agents, in any order.
        agents: Vec<AgentProposal> [maxItems: 32],
        /// How sure the agent is of the list.
        overall_confidence: Option<Number<'static>> [minimum: 0, maximum: 1],
    }
}

wire! {
    /// One agent that would help.
    pub open struct AgentProposal {
        /// Lower case with hyphens; it becomes a file's name.
        name: String [pattern: "^[a-z0-9]+(-[a-z0-9]+)*$", maxLength: 64],
        /// What it does, in a sentence or two.
        description: String [minLength: 1, maxLength: 500],
        /// What in the project calls for it.
        reason: Option<Nullable<String>> [maxLength: 500],
        /// What it knows.
        technologies: Option<Nullable<Vec<String>>> [maxItems: 16, items: json!({"maxLength": 64, "type": "string"})],
        /// From 1 (nice to have) to 10.
        priority: Option<Nullable<Integer>> [minimum: 1, maximum: 10],
    }
}
