//! What `agent-content-enhancer` makes of one agent: the JSON in the `response` of phase 7.

use serde_json::{Value, json};

use crate::{
    json::Number,
    wire::{Nullable, wire},
};

wire! {
    /// A better body for one agent's file. Its front matter is not the answerer's to write.
    pub open struct AgentEnhancement = "bridge/response.agent_enhancement" {
        /// The agent that was asked about.
        agent_name: String [pattern: "^[a-z0-9]+(-[a-z0-9]+)*$", maxLength: 64],
        /// Markdown that comes before the lists below.
        content: String [minLength: 1, maxLength: 12000],
        /// What to do, a sentence each.
        best_practices: Option<Nullable<Vec<String>>> [maxItems: 20, items: advice()],
        /// What to leave, a sentence each.
        anti_patterns: Option<Nullable<Vec<String>>> [maxItems: 20, items: advice()],
        /// Code that shows how it is done here.
        examples: Option<Nullable<Vec<CodeExample>>> [maxItems: 10],
        /// How sure the agent is of the text.
        overall_confidence: Option<Number<'static>> [minimum: 0, maximum: 1],
    }
}

wire! {
    /// Code that shows how something is done.
    pub open struct CodeExample {
        /// What it shows.
        title: String [minLength: 1, maxLength: 100],
        /// The code alone, without a fence.
        code: String [minLength: 1, maxLength: 3000],
        /// The word for the fence.
        language: Option<Nullable<String>> [maxLength: 32],
        /// Where in the project it comes from.
        file: Option<Nullable<String>> [maxLength: 500],
    }
}

// The members are in the order of their names, so that every build publishes the same bytes.
fn advice() -> Value {
    json!({"maxLength": 500, "type": "string"})
}
