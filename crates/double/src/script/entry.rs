//! One entry of a script: the requests that it is for, and the answer.

use std::time::Duration;

use consign_models::Provider;
use serde::Deserialize;
use serde_json::Value;

use super::fault::Fault;
use crate::asked::Asked;

/// An answer and the requests it is for.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The model that it is for; `None` is any model.
    pub(super) model: Option<String>,
    provider: Option<Provider>,
    contains: Option<String>,
    /// How often it may still be used; `None` is always.
    pub(super) left: Option<u32>,
    pub(crate) saying: Saying,
    pub(crate) usage: Counted,
    pub(crate) chunks: Option<usize>,
    pub(crate) chunk_delay: Duration,
    pub(crate) delay: Duration,
    pub(crate) fault: Option<Fault>,
}

impl Entry {
    pub(super) fn fits(&self, asked: &Asked) -> bool {
        self.left != Some(0)
            && self.model.as_ref().is_none_or(|model| *model == asked.model)
            && self.provider.is_none_or(|provider| provider == asked.provider)
            && self.contains.as_ref().is_none_or(|text| asked.input.last_user.contains(text))
    }
}

/// The answer of the model.
#[derive(Clone, Debug)]
pub(crate) enum Saying {
    /// The answer that it would give without a script.
    Unscripted,
    Text(String),
    /// As text, or as the arguments of a tool that had to be called.
    Json(Value),
    /// The text may be empty.
    Calls {
        text: String,
        calls: Vec<Call>,
    },
}

/// A tool call of the model.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// An object; or text, for arguments that are no JSON.
    #[serde(default = "no_arguments")]
    pub(crate) arguments: Value,
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

/// Counts that replace those of the tokenizer, as [`Usage`](consign_models::chat::Usage) defines them.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counted {
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    pub(crate) cached_tokens: Option<u64>,
    pub(crate) reasoning_tokens: Option<u64>,
    pub(crate) cache_write_tokens: Option<u64>,
}

/// An entry as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    model: Option<String>,
    provider: Option<Provider>,
    contains: Option<String>,
    times: Option<u32>,
    text: Option<String>,
    // `null` is an answer too.
    #[serde(default, deserialize_with = "present")]
    json: Option<Value>,
    tool_calls: Option<Vec<Call>>,
    usage: Option<Counted>,
    chunks: Option<usize>,
    chunk_delay_ms: Option<u32>,
    delay_ms: Option<u32>,
    fault: Option<Fault>,
    keys: Option<Vec<String>>,
}

fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

pub(super) enum Read {
    Answer(Box<Entry>),
    Keys { provider: Option<Provider>, keys: Vec<String> },
}

/// Reads an entry. The error says what is wrong with it.
pub(super) fn read(value: Value) -> Result<Read, String> {
    let Value::Object(members) = &value else {
        return Err("an entry must be an object".to_owned());
    };
    let only_keys = members.keys().all(|name| name == "keys" || name == "provider");
    let has = |name: &str| members.contains_key(name);
    let says =
        ["text", "json", "tool_calls", "usage", "chunks", "chunk_delay_ms", "delay_ms", "fault"];
    let says_something = says.into_iter().any(has);
    let wire: Wire = serde_json::from_value(value).map_err(|error| error.to_string())?;
    if let Some(keys) = wire.keys {
        if !only_keys {
            return Err("`keys` cannot be combined with other members than `provider`".to_owned());
        }
        return Ok(Read::Keys { provider: wire.provider, keys });
    }
    // What it does not know, it has refused by now.
    if !says_something {
        return Err(format!("an entry needs an answer: one of {}, or `keys`", says.join(", ")));
    }
    let saying = match (wire.text, wire.json, wire.tool_calls) {
        (None, None, None) => Saying::Unscripted,
        (Some(text), None, None) => Saying::Text(text),
        (None, Some(json), None) => Saying::Json(json),
        (text, None, Some(calls)) => {
            let fit = |call: &Call| call.arguments.is_object() || call.arguments.is_string();
            if !calls.iter().all(fit) {
                return Err("`arguments` must be an object, or text that is not JSON".to_owned());
            }
            Saying::Calls { text: text.unwrap_or_default(), calls }
        }
        (Some(_), Some(_), _) | (_, Some(_), Some(_)) => {
            return Err("`json` cannot be combined with `text` or `tool_calls`".to_owned());
        }
    };
    if let Some(fault) = &wire.fault {
        fault.check()?;
    }
    let pause = |ms: Option<u32>| Duration::from_millis(ms.unwrap_or_default().into());
    Ok(Read::Answer(Box::new(Entry {
        model: wire.model.filter(|model| model != "*"),
        provider: wire.provider,
        contains: wire.contains,
        left: match wire.times {
            None => Some(1),
            Some(0) => None,
            times => times,
        },
        saying,
        usage: wire.usage.unwrap_or_default(),
        chunks: wire.chunks,
        chunk_delay: pause(wire.chunk_delay_ms),
        delay: pause(wire.delay_ms),
        fault: wire.fault,
    })))
}
