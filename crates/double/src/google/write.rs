//! Writes an answer in Gemini's format, whole or as a stream.

use consign_models::chat::{Stop, Usage};
use serde_json::{Value, json};

use crate::{
    asked::Asked,
    id::Serial,
    said::Said,
    script::Filter,
    written::{Frame, Written, pieces},
};

/// Writes an answer. A stream is server-sent events if that was asked for, else one JSON array.
pub(crate) fn write(asked: &Asked, said: &Said, serial: Serial, sse: bool) -> Written {
    if !asked.stream {
        let mut parts = Vec::new();
        if !text(said).is_empty() {
            parts.push(json!({ "text": text(said) }));
        }
        parts.extend(calls(said));
        return Written::Whole(chunk(asked, said, serial, parts, true));
    }
    let mut chunks: Vec<(Value, bool)> = pieces(text(said), said.chunks)
        .into_iter()
        .map(|piece| (chunk(asked, said, serial, vec![json!({ "text": piece })], false), true))
        .collect();
    for call in calls(said) {
        chunks.push((chunk(asked, said, serial, vec![call], false), true));
    }
    chunks.push((chunk(asked, said, serial, Vec::new(), true), false));
    let error = json!({ "error": {
        "code": 503,
        "message": "The model is overloaded. Please try again later.",
        "status": "UNAVAILABLE",
    }});
    if sse { events(chunks, &error) } else { array(chunks, &error) }
}

fn events(chunks: Vec<(Value, bool)>, error: &Value) -> Written {
    let event = |value: &Value| format!("data: {value}\r\n\r\n");
    let frame = |(value, chunk): (Value, bool)| Frame { text: event(&value), chunk };
    Written::Stream {
        content_type: "text/event-stream",
        frames: chunks.into_iter().map(frame).collect(),
        error: event(error),
    }
}

fn array(chunks: Vec<(Value, bool)>, error: &Value) -> Written {
    let mut frames = Vec::new();
    for (at, (value, chunk)) in chunks.into_iter().enumerate() {
        let before = if at == 0 { "[" } else { ",\r\n" };
        frames.push(Frame { text: format!("{before}{value}"), chunk });
    }
    frames.push(Frame::around("]".to_owned()));
    Written::Stream {
        content_type: "application/json; charset=UTF-8",
        frames,
        error: format!(",\r\n{error}\n]"),
    }
}

/// The text of an answer. A refusal has no text here: only a finish reason.
fn text(said: &Said) -> &str {
    if said.stop == Stop::Refused { "" } else { &said.text }
}

fn calls(said: &Said) -> impl Iterator<Item = Value> {
    said.calls.iter().map(
        |call| json!({ "functionCall": { "name": call.name, "args": call.arguments_object() } }),
    )
}

fn chunk(asked: &Asked, said: &Said, serial: Serial, parts: Vec<Value>, last: bool) -> Value {
    let mut value = json!({});
    if said.stop == Stop::Refused && said.refused_by == Filter::Filter {
        // The question itself was blocked: there is nobody who could have answered.
        value["promptFeedback"] = json!({ "blockReason": "SAFETY" });
    } else {
        let mut content = json!({ "role": "model" });
        if !parts.is_empty() {
            content["parts"] = parts.into();
        } else if said.stop != Stop::Refused && asked.stream && !said.text.is_empty() {
            content["parts"] = json!([{ "text": "" }]);
        }
        let mut candidate = json!({ "content": content, "index": 0 });
        if last {
            candidate["finishReason"] = finish(said).into();
        }
        value["candidates"] = json!([candidate]);
    }
    value["usageMetadata"] = usage(&said.usage);
    value["modelVersion"] = asked.model.as_str().into();
    value["responseId"] = serial.id("", "answer", 22).into();
    value
}

fn finish(said: &Said) -> &'static str {
    match said.stop {
        // Calls are an end like any other.
        Stop::End | Stop::Tools => "STOP",
        Stop::Length => "MAX_TOKENS",
        Stop::Refused => "SAFETY",
    }
}

/// What was thought is counted beside what was said. Counts of nothing are left out.
fn usage(usage: &Usage) -> Value {
    let said = usage.output_tokens.saturating_sub(usage.reasoning_tokens);
    let mut value = json!({
        "promptTokenCount": usage.input_tokens,
        "totalTokenCount": usage.input_tokens.saturating_add(usage.output_tokens),
        "promptTokensDetails": [{ "modality": "TEXT", "tokenCount": usage.input_tokens }],
    });
    if said > 0 {
        value["candidatesTokenCount"] = said.into();
    }
    if usage.reasoning_tokens > 0 {
        value["thoughtsTokenCount"] = usage.reasoning_tokens.into();
    }
    if usage.cached_tokens > 0 {
        value["cachedContentTokenCount"] = usage.cached_tokens.into();
        value["cacheTokensDetails"] =
            json!([{ "modality": "TEXT", "tokenCount": usage.cached_tokens }]);
    }
    value
}
