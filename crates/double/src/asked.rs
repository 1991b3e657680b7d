//! A request in a form that is the same for all dialects.

use consign_models::Provider;
use serde_json::Value;

use super::tokens;

/// A request that keeps the provider's rules.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) provider: Provider,
    pub(super) model: String,
    pub(super) stream: bool,
    /// Only OpenAI's dialect can ask for the usage at the end of a stream.
    pub(super) include_usage: bool,
    pub(super) input: Input,
    pub(super) wants: Wants,
    pub(super) max_tokens: Option<u64>,
}

/// The form that an answer must have.
#[derive(Debug)]
pub(super) enum Wants {
    Text,
    /// Any JSON value.
    AnyJson,
    Json(Value),
    /// A word that fits, without the quotes of JSON.
    Word(Value),
    /// A call of this tool and no other answer.
    Tool {
        name: String,
        schema: Value,
        /// Whether it was named, and is not merely the first of those that may be called.
        named: bool,
    },
}

/// The texts of a request, as far as they are needed.
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

    /// Begins a new message of the user, which becomes the last one.
    pub(super) fn turn(&mut self) {
        self.last_user.clear();
    }
}
