//! Scripts: what the double answers.
//!
//! A script is a JSON array of entries. A request takes the first entry that fits it and is not used
//! up; if there is none, it is answered without a script. Requests that a provider would refuse take
//! no entry.
//!
//! ```json
//! [
//!   {"fault": {"kind": "rate_limited", "retry_after": 2}},
//!   {"model": "gpt-5-mini", "contains": "weather", "tool_calls": [{"name": "look", "arguments": {}}]},
//!   {"provider": "anthropic", "text": "Good morning.", "chunks": 4, "chunk_delay_ms": 50},
//!   {"keys": ["sk-test"]},
//!   {"times": 0, "json": {"status": "done"}, "usage": {"reasoning_tokens": 64}}
//! ]
//! ```

mod entry;
mod fault;

use std::str::FromStr;

use consign_models::{Provider, transport::Secret};
use serde_json::Value;

pub(super) use self::{
    entry::{Call, Entry, Saying},
    fault::{After, Fault, Filter},
};
use super::asked::Asked;

/// The answers of the double, in order.
#[derive(Debug, Default)]
pub struct Script {
    entries: Vec<Entry>,
    keys: Vec<Key>,
}

/// A key that is accepted: once one is named, no other is.
#[derive(Debug)]
struct Key {
    provider: Option<Provider>,
    key: Secret,
}

/// Why a script cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadScript {
    #[error("the script is not JSON: {0}")]
    NotJson(String),
    #[error("the script is not an array of entries")]
    NotAnArray,
    #[error("the script has {found} {what}; the limit is {most}")]
    TooLarge { what: &'static str, found: usize, most: usize },
    #[error("script[{index}]: {what}")]
    Entry {
        /// Counts from 0.
        index: usize,
        what: String,
    },
}

const MOST_BYTES: usize = 16 << 20;
const MOST_ENTRIES: usize = 10_000;

impl FromStr for Script {
    type Err = BadScript;

    fn from_str(text: &str) -> Result<Self, BadScript> {
        if text.len() > MOST_BYTES {
            let (what, found, most) = ("bytes", text.len(), MOST_BYTES);
            return Err(BadScript::TooLarge { what, found, most });
        }
        let value: Value =
            serde_json::from_str(text).map_err(|error| BadScript::NotJson(error.to_string()))?;
        let Value::Array(values) = value else { return Err(BadScript::NotAnArray) };
        if values.len() > MOST_ENTRIES {
            let (what, found, most) = ("entries", values.len(), MOST_ENTRIES);
            return Err(BadScript::TooLarge { what, found, most });
        }
        let mut script = Self::default();
        for (index, value) in values.into_iter().enumerate() {
            let read = entry::read(value).map_err(|what| BadScript::Entry { index, what })?;
            match read {
                entry::Read::Answer(entry) => script.entries.push(*entry),
                entry::Read::Keys { provider, keys } => {
                    let key = |key| Key { provider, key: Secret::new(key) };
                    script.keys.extend(keys.into_iter().map(key));
                }
            }
        }
        Ok(script)
    }
}

impl Script {
    /// Takes the entry for a request, if there is one.
    pub(super) fn take(&mut self, asked: &Asked) -> Option<Entry> {
        let entry = self.entries.iter_mut().find(|entry| entry.fits(asked))?;
        entry.left = entry.left.map(|left| left - 1);
        Some(entry.clone())
    }

    /// Whether a provider accepts a key. Without `keys` in the script it accepts any.
    pub(super) fn accepts(&self, provider: Provider, key: &str) -> bool {
        let mut named = self
            .keys
            .iter()
            .filter(|named| named.provider.is_none_or(|its| its == provider))
            .peekable();
        named.peek().is_none() || named.any(|named| named.key.reveal() == key)
    }

    /// The models that it names.
    pub(super) fn models(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter_map(|entry| entry.model.as_deref())
    }
}

#[cfg(test)]
mod tests;
