//! Translates requests into the format of each provider, and its answers back.
//!
//! Three dialects cover all providers: OpenAI's chat completions (xAI, Ollama's `/v1` and whatever calls
//! itself compatible speak it too), Anthropic's messages, and Gemini's `generateContent`.
//! [`request`] writes a request, [`answer`] reads a whole answer, [`Reader`] reads a streamed one, and
//! [`refusal`] reads why there is none.
//!
//! Nothing here sends, waits or knows a key. The same request gives the same bytes, so that a
//! recording can be matched. Everything that is read is taken for hostile: it is bounded, it cannot
//! make us panic, and nothing is made up for what is missing.

mod anthropic;
mod draft;
mod files;
mod gemini;
mod openai;
mod refusal;
mod schema;
mod sse;
mod stream;

use bytes::Bytes;
use consign_contracts::json::{self, Json};
use serde::Serialize;

use crate::{
    ModelName, Provider, Trouble,
    chat::{Answer, Request},
    transport::{Outgoing, Secret},
};

pub use files::with_files;
pub use refusal::refusal;
pub use stream::Reader;

/// The protocol of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    OpenAi,
    Anthropic,
    Gemini,
}

impl Dialect {
    const fn of(provider: Provider) -> Self {
        match provider {
            Provider::OpenAi | Provider::Xai | Provider::Ollama | Provider::Compatible => {
                Self::OpenAi
            }
            Provider::Anthropic => Self::Anthropic,
            Provider::Google => Self::Gemini,
        }
    }
}

/// The HTTP request, complete but for the secret.
#[must_use]
pub fn request(name: &ModelName, base_url: &str, request: &Request) -> Outgoing {
    let base = base_url.trim_end_matches('/');
    match Dialect::of(name.provider) {
        Dialect::OpenAi => openai::request(name, base, request),
        Dialect::Anthropic => anthropic::request(name, base, request),
        Dialect::Gemini => gemini::request(name, base, request),
    }
}

/// The header in which a provider expects its key. The key never goes into the URL, which servers
/// and proxies log.
#[must_use]
pub fn secret_header(provider: Provider, key: &Secret) -> (&'static str, Secret) {
    match Dialect::of(provider) {
        Dialect::OpenAi => ("authorization", Secret::new(["Bearer ", key.reveal()].concat())),
        Dialect::Anthropic => ("x-api-key", key.clone()),
        Dialect::Gemini => ("x-goog-api-key", key.clone()),
    }
}

/// Reads the body of a whole answer.
pub fn answer(provider: Provider, body: &[u8]) -> Result<Answer, Trouble> {
    let limits = json::Limits { bytes: body.len(), ..json::Limits::default() };
    let tree = json::parse_within(body, limits)
        .map_err(|malformed| draft::unreadable(format!("the answer is not JSON: {malformed}")))?;
    if let Some(trouble) = refusal::inside(provider, &tree) {
        return Err(trouble);
    }
    match Dialect::of(provider) {
        Dialect::OpenAi => openai::answer(provider, &tree),
        Dialect::Anthropic => anthropic::answer(&tree),
        Dialect::Gemini => gemini::answer(&tree),
    }
}

fn outgoing(url: String, headers: Vec<(&'static str, String)>, body: &impl Serialize) -> Outgoing {
    let body = serde_json::to_vec(body).expect("our own types have text for keys");
    Outgoing { url, headers, secret: None, body: Bytes::from(body) }
}

/// A string in a tree, where there is one.
fn text_at<'t>(tree: &'t Json<'_>, pointer: &str) -> Option<&'t str> {
    tree.at(pointer)?.as_str()
}

/// A count in a tree, where there is one.
fn count_at(tree: &Json<'_>, pointer: &str) -> Option<u64> {
    tree.at(pointer)?.as_number()?.as_u64()
}

/// The system prompt with the schema added. A schema cannot always be sent as such; then the model
/// is told of it, and its answer is checked against the contract afterwards as always.
fn told(system: Option<&str>, schema: &str) -> String {
    let ask = "Answer with one JSON value and nothing else: no prose, no code fence. \
               It must be valid against this JSON Schema:";
    match system {
        Some(system) => format!("{system}\n\n{ask}\n{schema}"),
        None => format!("{ask}\n{schema}"),
    }
}

#[cfg(test)]
mod tests;
