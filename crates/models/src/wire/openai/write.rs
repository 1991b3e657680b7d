//! Writes requests for chat completions.

use consign_engine::Data;
use serde::Serialize;

use crate::{
    ModelName, Provider,
    chat::{Message, Request},
    transport::Outgoing,
    wire::{outgoing, schema, with_files},
};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<std::borrow::Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    r#type: &'static str,
    function: Called<'a>,
}

#[derive(Serialize)]
struct Called<'a> {
    name: &'a str,
    arguments: &'a str,
}

#[derive(Serialize)]
struct Offered<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Data,
}

#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    json_schema: Named<'a>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    strict: bool,
    schema: Data,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

pub(in crate::wire) fn request(name: &ModelName, base: &str, request: &Request) -> Outgoing {
    let provider = name.provider;
    // The others know only the old name.
    let new_name = matches!(provider, Provider::OpenAi | Provider::Xai);
    let system = request.system.as_deref().map(|text| said("system", text.into()));
    let body = Body {
        model: &name.model,
        messages: system.into_iter().chain(request.messages.iter().map(message)).collect(),
        tools: request.tools.iter().map(offered).collect(),
        response_format: request.schema.as_ref().map(|asked| {
            let (strict, schema) = match schema::strict(&asked.schema) {
                Some(schema) => (true, schema),
                None => (false, asked.schema.clone()),
            };
            let json_schema = Named { name: &asked.name, strict, schema };
            Format { r#type: "json_schema", json_schema }
        }),
        temperature: takes_temperature(name).then_some(request.temperature),
        max_completion_tokens: new_name.then_some(request.max_tokens),
        max_tokens: (!new_name).then_some(request.max_tokens),
        stream: request.stream.then_some(true),
        stream_options: request.stream.then_some(StreamOptions { include_usage: true }),
    };
    outgoing(format!("{base}/chat/completions"), Vec::new(), &body)
}

/// OpenAI's reasoning models refuse a question that has a temperature.
fn takes_temperature(name: &ModelName) -> bool {
    let reasons =
        ["gpt-5", "gpt-6", "o1", "o3", "o4"].iter().any(|kind| name.model.starts_with(kind));
    !(name.provider == Provider::OpenAi && reasons)
}

fn said<'a>(role: &'static str, content: std::borrow::Cow<'a, str>) -> WireMessage<'a> {
    WireMessage { role, content: Some(content), tool_calls: Vec::new(), tool_call_id: None }
}

fn message(message: &Message) -> WireMessage<'_> {
    match message {
        Message::User { text, files } => said("user", with_files(text, files)),
        Message::Assistant { text, tool_calls } => WireMessage {
            role: "assistant",
            content: (!text.is_empty() || tool_calls.is_empty()).then_some(text.into()),
            tool_calls: tool_calls
                .iter()
                .map(|call| Call {
                    id: &call.id,
                    r#type: "function",
                    function: Called { name: &call.name, arguments: &call.arguments },
                })
                .collect(),
            tool_call_id: None,
        },
        Message::Tool { id, name: _, content } => {
            WireMessage { tool_call_id: Some(id), ..said("tool", content.into()) }
        }
    }
}

fn offered(tool: &crate::chat::Tool) -> Offered<'_> {
    let (name, description, parameters) = (&tool.name, &tool.description, &tool.parameters);
    Offered { r#type: "function", function: Function { name, description, parameters } }
}
