//! Writes an answer in Anthropic's format, whole or as a stream.

use consign_models::chat::{Stop, Usage};
use serde_json::{Value, json};

use crate::{
    asked::Asked,
    id::Serial,
    said::Said,
    written::{Frame, Written, pieces},
};

pub(crate) fn write(asked: &Asked, said: &Said, serial: Serial) -> Written {
    if asked.stream {
        stream(asked, said, serial)
    } else {
        Written::Whole(whole(asked, said, serial))
    }
}

fn message(
    asked: &Asked,
    serial: Serial,
    content: Value,
    stop: Option<&str>,
    usage: Value,
) -> Value {
    json!({
        "model": asked.model,
        "id": serial.id("msg_01", "answer", 22),
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": stop,
        "stop_sequence": null,
        "usage": usage,
    })
}

/// The text of an answer. A refusal has no text here: only a stop reason.
fn text(said: &Said) -> &str {
    if said.stop == Stop::Refused { "" } else { &said.text }
}

fn whole(asked: &Asked, said: &Said, serial: Serial) -> Value {
    let mut content = Vec::new();
    if !text(said).is_empty() {
        content.push(json!({ "type": "text", "text": text(said) }));
    }
    for (place, call) in said.calls.iter().enumerate() {
        let (id, input) = (serial.call("toolu_01", place), call.arguments_object());
        content.push(json!({ "type": "tool_use", "id": id, "name": call.name, "input": input }));
    }
    let usage = usage(&said.usage, said.usage.output_tokens);
    message(asked, serial, content.into(), Some(stop(said)), usage)
}

fn stream(asked: &Asked, said: &Said, serial: Serial) -> Written {
    // The first event counts the little that is there by then.
    let opening = usage(&said.usage, said.usage.output_tokens.min(1));
    let opening = message(asked, serial, json!([]), None, opening);
    let mut frames = vec![Frame::around(event("message_start", json!({ "message": opening })))];
    let mut index = 0;
    if !text(said).is_empty() {
        let block = json!({ "type": "text", "text": "" });
        frames.push(start(index, block));
        frames.push(Frame::around(event("ping", json!({}))));
        for piece in pieces(text(said), said.chunks) {
            frames.push(delta(index, json!({ "type": "text_delta", "text": piece })));
        }
        frames.push(end(index));
        index += 1;
    } else {
        frames.push(Frame::around(event("ping", json!({}))));
    }
    for (place, call) in said.calls.iter().enumerate() {
        let id = serial.call("toolu_01", place);
        let block = json!({ "type": "tool_use", "id": id, "name": call.name, "input": {} });
        frames.push(start(index, block));
        let empty = delta(index, json!({ "type": "input_json_delta", "partial_json": "" }));
        frames.push(Frame::around(empty.text));
        for piece in pieces(&call.arguments_text(), said.chunks) {
            frames.push(delta(index, json!({ "type": "input_json_delta", "partial_json": piece })));
        }
        frames.push(end(index));
        index += 1;
    }
    let closing = json!({
        "delta": { "stop_reason": stop(said), "stop_sequence": null },
        "usage": counts(&said.usage, said.usage.output_tokens),
    });
    frames.push(Frame::around(event("message_delta", closing)));
    frames.push(Frame::around(event("message_stop", json!({}))));
    let error = json!({ "error": { "type": "overloaded_error", "message": "Overloaded" } });
    Written::Stream {
        content_type: "text/event-stream; charset=utf-8",
        frames,
        error: event("error", error),
    }
}

/// The data repeats the event's name as its type.
fn event(name: &str, mut data: Value) -> String {
    data["type"] = name.into();
    format!("event: {name}\ndata: {data}\n\n")
}

fn start(index: usize, block: Value) -> Frame {
    let data = json!({ "index": index, "content_block": block });
    Frame::around(event("content_block_start", data))
}

fn delta(index: usize, delta: Value) -> Frame {
    Frame::chunk(event("content_block_delta", json!({ "index": index, "delta": delta })))
}

fn end(index: usize) -> Frame {
    Frame::around(event("content_block_stop", json!({ "index": index })))
}

fn stop(said: &Said) -> &'static str {
    match said.stop {
        Stop::End => "end_turn",
        Stop::Length => "max_tokens",
        Stop::Tools => "tool_use",
        Stop::Refused => "refusal",
    }
}

/// The input is told in three parts that do not overlap.
fn counts(usage: &Usage, output: u64) -> Value {
    let cache = usage.cached_tokens.saturating_add(usage.cache_write_tokens);
    json!({
        "input_tokens": usage.input_tokens.saturating_sub(cache),
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "cache_read_input_tokens": usage.cached_tokens,
        "output_tokens": output,
    })
}

fn usage(usage: &Usage, output: u64) -> Value {
    let mut value = counts(usage, output);
    value["cache_creation"] = json!({
        "ephemeral_5m_input_tokens": usage.cache_write_tokens,
        "ephemeral_1h_input_tokens": 0,
    });
    value["service_tier"] = "standard".into();
    value
}
