//! A conversation, as it is kept between turns.

use super::{PlanStep, RetrievedContext};
use crate::{
    json::Object,
    wire::{Nullable, Timestamp, wire, words},
};

wire! {
    /// A conversation: what was said, and what the turn under way works with.
    pub open struct ConversationState = "crew/conversation-state" {
        /// The conversation.
        session_id: String,
        /// What was said, in order.
        history: Option<Vec<ConversationMessage>> [default: serde_json::json!([])],
        /// The plan of the turn under way.
        current_plan: Option<Nullable<Vec<PlanStep>>>,
        /// What the turn under way has found.
        accumulated_context: Option<Vec<RetrievedContext>> [default: serde_json::json!([])],
        /// What the user likes.
        user_preferences: Option<Object<'static>> [default: serde_json::json!({})],
    }
}

wire! {
    /// Something that was said.
    pub open struct ConversationMessage {
        /// By whom.
        role: Role,
        /// What.
        content: String,
        /// When.
        timestamp: Timestamp,
    }
}

words! {
    /// Who speaks in a conversation.
    pub enum Role {
        User = "user",
        Assistant = "assistant",
        System = "system",
    }
}
