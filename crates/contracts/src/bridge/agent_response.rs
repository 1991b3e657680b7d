//! `.agent-response.json`: what the outside agent answered.

use super::ErrorType;
use crate::{
    json::Number,
    wire::{Integer, Timestamp, Uuid, wire, words},
};

wire! {
    /// The answer to an agent request, or why there is none.
    pub closed struct AgentResponse = "bridge/agent-response" {
        /// The request that this answers.
        request_id: Uuid,
        /// Version of the file format.
        version: String [pattern: r"^\d+\.\d+$"],
        /// How the invocation went.
        status: ResponseStatus,
        /// What the agent said, usually JSON in a string.
        response: Option<String>,
        /// What went wrong, in words.
        error_message: Option<String>,
        /// What went wrong, as a code.
        error_type: Option<ErrorType>,
        /// When the response was written.
        created_at: Timestamp,
        /// How long the agent took.
        duration_seconds: Option<Number<'static>> [minimum: 0],
        /// Facts about the invocation.
        metadata: Option<ResponseMetadata>,
    }
}

wire! {
    /// Which model answered, what it used and how sure it was.
    pub open struct ResponseMetadata {
        /// The model's name.
        model: Option<String>,
        /// Tokens in and out.
        tokens_used: Option<Integer>,
        /// The agent's confidence in its answer.
        confidence: Option<Number<'static>> [minimum: 0, maximum: 1],
    }
}

words! {
    /// How an invocation ended.
    pub enum ResponseStatus {
        Success = "success",
        Error = "error",
        Timeout = "timeout",
        Cancelled = "cancelled",
    }
}
