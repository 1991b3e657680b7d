//! What a request asks for, whoever's dialect it is in.

use consign_models::Provider;
use serde_json::Value;

use super::tokens;

/// A request that keeps the provider's rules.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) provider: Provider,
    pub(super) model: String,
    pub(super) stream: bool,
    /// Only OpenAI's dialect asks whether a stream ends with what it cost.
    pub(super) include_usage: bool,
    pub(super) input: Input,
    pub(super) wants: Wants,
    pub(super) max_tokens: Option<u64>,
}

/// The form that an answer must have.
#[derive(Debug)]
pub(super) enum Wants {
    Text,
    /// Some JSON, whichever.
    AnyJson,
    Json(Value),
    /// A word that fits, without the quotes of JSON.
    Word(Value),
    /// A call of this tool and no other answer.
    Tool {
        name: String,
        schema: Value,
        /// It was named, not merely the first of those that may be called.
        named: bool,
    },
}

/// The texts of a request, as far as anybody needs them.
#[derive(Debug, Default)]
pub(super) struct Input {
    pub(super) tokens: u64,
    pub(super) last_user: String,
    pub(super) says_json: bool,
}

impl Input {
    pub(super) fn add(&mut self, text: &str) {
        self.tokens += tokens::count(text);
        self.says_json = self.says_json || text.to_ascii_lowercase().contains("json");
    }

    pub(super) fn add_user(&mut self, text: &str) {
        self.add(text);
        if !self.last_user.is_empty() {
            self.last_user.push('\n');
        }
        self.last_user.push_str(text);
    }

    /// A new message of the user begins: what was last is no longer.
    pub(super) fn turn(&mut self) {
        self.last_user.clear();
    }
}
