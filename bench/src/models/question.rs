//! The question that is put every time, as an agent is defined for it and as the client wants it.

use std::path::Path;

use consign_invokers::define::{Definition, Reached};
use consign_models::chat::{AnswerSchema, Message, Request};
use serde_json::{Value, json};

pub(super) const MODEL: &str = "openai/gpt-5-mini";
pub(super) const AGENT: &str = "reviewer";

const DEFINITION: &str = r#"
name = "reviewer"
effect = "pure"
[contract.output]
type = "object"
required = ["verdict", "reason"]
additionalProperties = false
[contract.output.properties.verdict]
type = "string"
enum = ["accept", "reject"]
[contract.output.properties.reason]
type = "string"
[model]
name = "MODEL"
base_url = "URL"
system = "You review changes. Accept what breaks no promise, and say why in plain words."
stream = STREAM
"#;

pub(super) fn definition(url: &str, stream: bool) -> Result<Definition, String> {
    let stream = if stream { "true" } else { "false" };
    let text = DEFINITION.replace("MODEL", MODEL).replace("URL", url).replace("STREAM", stream);
    Definition::read(&text, Path::new("reviewer.toml")).map_err(|faults| faults.to_string())
}

/// What that agent asks.
pub(super) fn request(definition: &Definition, prompt: &str) -> Result<Request, String> {
    let Reached::Model(model) = &definition.reached else { return Err("no model".to_owned()) };
    Ok(Request {
        system: model.system.clone(),
        messages: vec![Message::user(prompt)],
        schema: definition
            .output
            .clone()
            .map(|schema| AnswerSchema { name: "answer".to_owned(), schema }),
        temperature: model.temperature,
        max_tokens: model.max_tokens,
        stream: model.stream,
        ..Request::default()
    })
}

/// What the double answers, whole or in pieces.
pub(super) fn script(bytes: usize, chunks: u32, pause_ms: u32) -> Value {
    let answer = json!({ "verdict": "accept", "reason": words(bytes) });
    json!([{ "times": 0, "json": answer, "chunks": chunks, "chunk_delay_ms": pause_ms }])
}

/// So many bytes that a tokenizer has something to do with.
pub(super) fn words(bytes: usize) -> String {
    const SOME: &str =
        "the review of this change found nothing that breaks a promise of the documentation";
    let mut text = String::new();
    for (place, word) in (0..).zip(SOME.split(' ').cycle()) {
        if text.len() >= bytes {
            break;
        }
        text.push_str(word);
        // Not the same sentence over and over.
        text.push_str(if place % 7 == 0 { ", " } else { " " });
    }
    text.truncate(bytes);
    text
}
