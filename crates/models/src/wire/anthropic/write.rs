//! Writes requests to Anthropic's Messages API.
//!
//! The schema is enforced with `output_config.format` where the model supports it and the schema, less
//! what cannot be enforced there, fits. A forced tool would be the other way, but reasoning models
//! refuse it, and it takes the place of the tools of the request. So in all other cases the schema is
//! part of the prompt.

use std::borrow::Cow;

use consign_contracts::json::Json;
use consign_engine::Data;
use serde::Serialize;

use crate::{
    ModelName,
    chat::{Message, Request, ToolCall},
    transport::Outgoing,
    wire::{outgoing, schema, told, with_files},
};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<Cow<'a, str>>,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    content: Content<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text { text: &'a str },
    ToolUse { id: &'a str, name: &'a str, input: Data },
    ToolResult { tool_use_id: &'a str, content: &'a str },
}

#[derive(Serialize)]
struct Offered<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Data,
}

#[derive(Serialize)]
struct OutputConfig {
    format: Format,
}

#[derive(Serialize)]
struct Format {
    r#type: &'static str,
    schema: Data,
}

pub(in crate::wire) fn request(name: &ModelName, base: &str, request: &Request) -> Outgoing {
    let can = Can::of(&name.model);
    let system = request.system.as_deref();
    let bound = request.schema.as_ref().map(|asked| {
        let fit = if can.schemas { schema::loosened(&asked.schema) } else { None };
        fit.ok_or_else(|| told(system, asked.schema.as_str()))
    });
    let (output_config, system) = match bound {
        Some(Ok(schema)) => {
            let format = Format { r#type: "json_schema", schema };
            (Some(OutputConfig { format }), system.map(Cow::Borrowed))
        }
        Some(Err(told)) => (None, Some(Cow::Owned(told))),
        None => (None, system.map(Cow::Borrowed)),
    };
    let body = Body {
        model: &name.model,
        max_tokens: request.max_tokens,
        system,
        messages: messages(&request.messages),
        tools: request
            .tools
            .iter()
            .map(|tool| Offered {
                name: &tool.name,
                description: &tool.description,
                input_schema: &tool.parameters,
            })
            .collect(),
        output_config,
        temperature: can.temperature.then_some(request.temperature),
        stream: request.stream.then_some(true),
    };
    let headers = vec![("anthropic-version", "2023-06-01".to_owned())];
    outgoing(format!("{base}/messages"), headers, &body)
}

/// What a model supports, by its name: `claude-opus-4-5`, `claude-3-5-haiku-20241022`.
struct Can {
    /// Since Opus 4.7 a request that sets one is refused.
    temperature: bool,
    /// Since 4.5.
    schemas: bool,
}

impl Can {
    fn of(model: &str) -> Self {
        let mut parts = model.split('-').skip(1);
        let is_number = |part: &&str| part.len() <= 2 && part.parse::<u8>().is_ok();
        let mut numbers = parts.by_ref().skip_while(|part| !is_number(part)).take_while(is_number);
        let major: u8 = numbers.next().and_then(|part| part.parse().ok()).unwrap_or(u8::MAX);
        let minor: u8 = numbers.next().and_then(|part| part.parse().ok()).unwrap_or_default();
        let version = (major, minor);
        Self { temperature: version < (4, 7), schemas: version >= (4, 5) }
    }
}

fn messages(messages: &[Message]) -> Vec<WireMessage<'_>> {
    let mut all: Vec<WireMessage<'_>> = Vec::with_capacity(messages.len());
    let mut after_tool = false;
    for message in messages {
        let is_tool = matches!(message, Message::Tool { .. });
        match message {
            Message::User { text, files } => {
                all.push(WireMessage {
                    role: "user",
                    content: Content::Text(with_files(text, files)),
                });
            }
            Message::Assistant { text, tool_calls } => {
                // An empty block is refused.
                let text = (!text.is_empty()).then_some(Block::Text { text });
                let calls = tool_calls.iter().map(|call| Block::ToolUse {
                    id: &call.id,
                    name: &call.name,
                    input: input(call),
                });
                let blocks: Vec<Block<'_>> = text.into_iter().chain(calls).collect();
                if !blocks.is_empty() {
                    all.push(WireMessage { role: "assistant", content: Content::Blocks(blocks) });
                }
            }
            Message::Tool { id, name: _, content } => {
                let block = Block::ToolResult { tool_use_id: id, content };
                // The results of one answer's calls belong into one message.
                match all.last_mut() {
                    Some(WireMessage { content: Content::Blocks(blocks), .. }) if after_tool => {
                        blocks.push(block);
                    }
                    Some(_) | None => {
                        all.push(WireMessage {
                            role: "user",
                            content: Content::Blocks(vec![block]),
                        });
                    }
                }
            }
        }
        after_tool = is_tool;
    }
    all
}

/// It must be an object. What the model wrote instead is handed back to it as it was.
fn input(call: &ToolCall) -> Data {
    match Data::parse(call.arguments.as_str()) {
        Ok(data) if matches!(data.tree(), Ok(Json::Object(_))) => data,
        Ok(_) | Err(_) => Data::of(&serde_json::json!({ "unreadable": call.arguments })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_asked_only_for_what_it_can_do() {
        let check = |model: &str, temperature: bool, schemas: bool| {
            let can = Can::of(model);
            assert_eq!((can.temperature, can.schemas), (temperature, schemas), "{model}");
        };
        check("claude-3-5-haiku-20241022", true, false);
        check("claude-sonnet-4-20250514", true, false);
        check("claude-opus-4-1", true, false);
        check("claude-sonnet-4-5-20250929", true, true);
        check("claude-haiku-4-5", true, true);
        check("claude-sonnet-4-6", true, true);
        check("claude-opus-4-7", false, true);
        check("claude-opus-5", false, true);
        check("claude-next", false, true);
    }
}
