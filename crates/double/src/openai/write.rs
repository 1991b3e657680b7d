//! Writes an answer as a chat completion, whole or as a stream.

use consign_models::{
    Provider,
    chat::{Stop, Usage},
};
use serde_json::{Value, json};

use crate::{
    asked::{Asked, Wants},
    id::{Serial, now},
    said::Said,
    script::Filter,
    written::{Frame, Written, pieces},
};

pub(crate) fn write(asked: &Asked, said: &Said, serial: Serial) -> Written {
    let head = Head { asked, serial, created: now() };
    if asked.stream { stream(&head, said) } else { Written::Whole(whole(&head, said)) }
}

/// What all chunks of an answer have in common.
struct Head<'a> {
    asked: &'a Asked,
    serial: Serial,
    created: u64,
}

impl Head<'_> {
    fn wrap(&self, object: &str, choices: Value) -> Value {
        let fingerprint = match self.asked.provider {
            Provider::Ollama => "fp_ollama".to_owned(),
            Provider::OpenAi
            | Provider::Anthropic
            | Provider::Xai
            | Provider::Google
            | Provider::Compatible => Serial(0).id("fp_", "fingerprint", 10).to_lowercase(),
        };
        let mut value = json!({
            "id": self.serial.id("chatcmpl-", "answer", 29),
            "object": object,
            "created": self.created,
            "model": self.asked.model,
            "choices": choices,
            "system_fingerprint": fingerprint,
        });
        if self.asked.provider == Provider::OpenAi {
            value["service_tier"] = "default".into();
        }
        value
    }

    fn chunk(&self, delta: &Value, finish: Option<&str>) -> String {
        let choice =
            json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish });
        let mut value = self.wrap("chat.completion.chunk", json!([choice]));
        if self.asked.include_usage {
            value["usage"] = Value::Null;
        }
        event(&value)
    }
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn whole(head: &Head<'_>, said: &Said) -> Value {
    let refused = refusal(said);
    let content = match &said.text {
        _ if refused.is_some() => Value::Null,
        text if text.is_empty() && !said.calls.is_empty() => Value::Null,
        text => text.as_str().into(),
    };
    let mut message = json!({ "role": "assistant", "content": content });
    if head.asked.provider != Provider::Ollama {
        message["refusal"] = refused.into();
    }
    if head.asked.provider == Provider::OpenAi {
        message["annotations"] = json!([]);
    }
    if !said.calls.is_empty() {
        message["tool_calls"] = calls(head, said);
    }
    let choice = json!({
        "index": 0,
        "message": message,
        "logprobs": null,
        "finish_reason": finish(head.asked, said),
    });
    let mut value = head.wrap("chat.completion", json!([choice]));
    value["usage"] = usage(head.asked.provider, &said.usage);
    value
}

fn stream(head: &Head<'_>, said: &Said) -> Written {
    let mut opening = json!({ "role": "assistant", "content": "" });
    if head.asked.provider != Provider::Ollama {
        opening["refusal"] = Value::Null;
    }
    let mut frames = vec![Frame::around(head.chunk(&opening, None))];
    let member = if refusal(said).is_some() { "refusal" } else { "content" };
    for piece in pieces(&said.text, said.chunks) {
        frames.push(Frame::chunk(head.chunk(&json!({ (member): piece }), None)));
    }
    for (place, call) in said.calls.iter().enumerate() {
        let id = head.serial.call("call_", place);
        let function = json!({ "name": call.name, "arguments": "" });
        let first = json!({ "index": place, "id": id, "type": "function", "function": function });
        frames.push(Frame::around(head.chunk(&json!({ "tool_calls": [first] }), None)));
        for piece in pieces(&call.arguments_text(), said.chunks) {
            let next = json!({ "index": place, "function": { "arguments": piece } });
            frames.push(Frame::chunk(head.chunk(&json!({ "tool_calls": [next] }), None)));
        }
    }
    frames.push(Frame::around(head.chunk(&json!({}), Some(finish(head.asked, said)))));
    if head.asked.include_usage {
        let mut last = head.wrap("chat.completion.chunk", json!([]));
        last["usage"] = usage(head.asked.provider, &said.usage);
        frames.push(Frame::around(event(&last)));
    }
    frames.push(Frame::around("data: [DONE]\n\n".to_owned()));
    let error = json!({ "error": {
        "message": "The server had an error while processing your request. Sorry about that!",
        "type": "server_error",
        "param": null,
        "code": null,
    }});
    Written::Stream {
        content_type: "text/event-stream; charset=utf-8",
        frames,
        error: event(&error),
    }
}

fn refusal(said: &Said) -> Option<&str> {
    (said.stop == Stop::Refused && said.refused_by == Filter::Model).then_some(said.text.as_str())
}

fn calls(head: &Head<'_>, said: &Said) -> Value {
    let call = |(place, call): (usize, &crate::script::Call)| {
        let function = json!({ "name": call.name, "arguments": call.arguments_text() });
        json!({ "id": head.serial.call("call_", place), "type": "function", "function": function })
    };
    said.calls.iter().enumerate().map(call).collect()
}

fn finish(asked: &Asked, said: &Said) -> &'static str {
    match (said.stop, &asked.wants) {
        (Stop::Length, _) => "length",
        (Stop::Refused, _) if said.refused_by == Filter::Filter => "content_filter",
        // OpenAI says so when the tool was named, and nobody knows why.
        (Stop::Tools, Wants::Tool { named: true, .. }) if asked.provider == Provider::OpenAi => {
            "stop"
        }
        (Stop::Tools, _) => "tool_calls",
        (Stop::End | Stop::Refused, _) => "stop",
    }
}

fn usage(provider: Provider, usage: &Usage) -> Value {
    let (input, output, reasoning) =
        (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens);
    let total = input.saturating_add(output);
    // xAI counts what was thought beside what was said, not within it.
    let said = if provider == Provider::Xai { output.saturating_sub(reasoning) } else { output };
    let mut value =
        json!({ "prompt_tokens": input, "completion_tokens": said, "total_tokens": total });
    if provider == Provider::Ollama {
        return value;
    }
    value["prompt_tokens_details"] =
        json!({ "cached_tokens": usage.cached_tokens, "audio_tokens": 0 });
    value["completion_tokens_details"] = json!({
        "reasoning_tokens": reasoning,
        "audio_tokens": 0,
        "accepted_prediction_tokens": 0,
        "rejected_prediction_tokens": 0,
    });
    if provider == Provider::Xai {
        value["prompt_tokens_details"]["text_tokens"] = input.into();
        value["prompt_tokens_details"]["image_tokens"] = 0.into();
        value["num_sources_used"] = 0.into();
    }
    value
}
