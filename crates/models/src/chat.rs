//! What is said to a model and what it says, whoever serves it.

use consign_engine::Data;
use serde::{Deserialize, Serialize};

/// One question to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    pub system: Option<String>,
    pub messages: Vec<Message>,
    pub tools: Vec<Tool>,
    /// The answer must be JSON that fits this schema.
    pub schema: Option<AnswerSchema>,
    /// Left to the provider where its model takes none.
    pub temperature: f64,
    /// The most tokens that the answer may have. Always sent: it is what a budget holds back for.
    pub max_tokens: u32,
    /// Tokens are wanted as they come.
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
    /// What a tool call came to.
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

/// Something the model may ask to have done.
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
    /// As the model wrote them: not necessarily JSON.
    pub arguments: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AnswerSchema {
    /// Letters, digits, `_` and `-`.
    pub name: String,
    pub schema: Data,
}

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub text: String,
    pub tool_calls: Vec<ToolCall>,
    pub usage: Option<Usage>,
    /// The model's name as the provider gave it.
    pub model: String,
    pub stop: Stop,
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// It had said all.
    #[default]
    End,
    /// It reached `max_tokens`: the answer may be cut off.
    Length,
    /// It wants tools to be called.
    Tools,
    /// The provider would not let it say this.
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

/// What a provider counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All tokens of the input, those from a cache and those written to one included.
    pub input_tokens: u64,
    /// Those of them that came from a cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// Those of them that were written to one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// All tokens of the output, those of reasoning included.
    pub output_tokens: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}
