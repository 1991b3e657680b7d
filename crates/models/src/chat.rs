//! The request to a model and its answer, in a form that is the same for all providers.
//! [`crate::wire`] translates them to and from each provider's own format.

use consign_engine::Data;
use serde::{Deserialize, Serialize};

/// One request to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    pub system: Option<String>,
    pub messages: Vec<Message>,
    pub tools: Vec<Tool>,
    /// If set, the answer must be JSON that fits this schema.
    pub schema: Option<AnswerSchema>,
    /// Left out of the request where a model accepts none.
    pub temperature: f64,
    /// The most tokens that the answer may have. Always sent, because the budget is reserved from
    /// it.
    pub max_tokens: u32,
    /// Whether the answer is streamed.
    pub stream: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    User {
        text: String,
        files: Vec<File>,
    },
    Assistant {
        text: String,
        tool_calls: Vec<ToolCall>,
    },
    /// The result of a tool call.
    Tool {
        id: String,
        name: String,
        content: String,
    },
}

impl Message {
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), files: Vec::new() }
    }
}

/// A file in the context, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub text: String,
}

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// A JSON Schema of an object.
    pub parameters: Data,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// The arguments as the model wrote them: not necessarily JSON.
    pub arguments: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AnswerSchema {
    /// Letters, digits, `_` and `-`.
    pub name: String,
    pub schema: Data,
}

/// The answer of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub text: String,
    pub tool_calls: Vec<ToolCall>,
    pub usage: Option<Usage>,
    /// The model's name as the provider reported it.
    pub model: String,
    pub stop: Stop,
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// It had finished its answer.
    #[default]
    End,
    /// It reached `max_tokens`: the answer may be incomplete.
    Length,
    /// It wants tools to be called.
    Tools,
    /// The provider's safety rules stopped the answer.
    Refused,
}

impl Stop {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Length => "length",
            Self::Tools => "tools",
            Self::Refused => "refused",
        }
    }
}

/// The tokens that a provider counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All tokens of the input, including those read from a cache and those written to one.
    pub input_tokens: u64,
    /// The input tokens that were read from a cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// The input tokens that were written to a cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// All tokens of the output, including reasoning tokens.
    pub output_tokens: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}
