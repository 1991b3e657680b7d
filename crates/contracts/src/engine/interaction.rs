//! One entry of the inbox.

use crate::{
    json::{Json, Object},
    wire::{Nullable, Timestamp, wire, words},
};

wire! {
    /// Why a run stands still, and what lets it go on. It can be answered once, from any surface.
    pub open struct Interaction = "engine/interaction" {
        /// The run that waits.
        run: String [minLength: 1],
        /// Names the interaction in its run.
        interaction: String [minLength: 1],
        /// What is wanted.
        kind: InteractionKind,
        /// Why the engine itself asks; left out where the workflow does.
        code: Option<String> [pattern: "^[A-Z][A-Z0-9_]*$"],
        /// The agent in whose place the answer is given; left out where none is.
        agent: Option<String> [minLength: 1],
        /// What the person or program is asked.
        prompt: String,
        /// The JSON Schema of an answer.
        schema: Object<'static>,
        /// When it stops waiting; `null` is never.
        deadline: Nullable<Timestamp>,
        /// The answer that is taken at the deadline.
        default: Option<Json<'static>>,
        /// Since when it waits.
        opened_at: Timestamp,
        /// Who may answer: a person, or an agent (and a person in its place).
        audience: Option<Audience>,
        /// Who answered it; left out while it is open.
        answered_by: Option<String> [minLength: 1],
        /// When it was answered.
        answered_at: Option<Timestamp>,
    }
}

words! {
    /// Who may answer.
    pub enum Audience {
        Person = "person",
        Agent = "agent",
    }
}

words! {
    /// What a run can wait for.
    pub enum InteractionKind {
        Clarification = "clarification",
        Confirmation = "confirmation",
        Approval = "approval",
        Intervention = "intervention",
        Limit = "limit",
        AgentResponse = "agent_response",
    }
}
