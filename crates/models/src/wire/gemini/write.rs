//! Writes requests to `generateContent`.

use std::borrow::Cow;

use consign_contracts::json::Json;
use consign_engine::Data;
use serde::Serialize;

use super::OUR_ID;
use crate::{
    ModelName,
    chat::{Message, Request, ToolCall},
    transport::Outgoing,
    wire::{outgoing, told, with_files},
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Instruction<'a>>,
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tools<'a>>,
    generation_config: Config<'a>,
}

#[derive(Serialize)]
struct Instruction<'a> {
    parts: [Part<'a>; 1],
}

#[derive(Serialize)]
struct Content<'a> {
    role: &'static str,
    parts: Vec<Part<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(flatten)]
    what: What<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum What<'a> {
    Text(Cow<'a, str>),
    FunctionCall(Call<'a>),
    FunctionResponse(Response<'a>),
}

#[derive(Serialize)]
struct Call<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    args: Data,
}

#[derive(Serialize)]
struct Response<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    response: Outcome<'a>,
}

#[derive(Serialize)]
struct Outcome<'a> {
    result: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: Vec<Declared<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declared<'a> {
    name: &'a str,
    description: &'a str,
    parameters_json_schema: &'a Data,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Config<'a> {
    temperature: f64,
    max_output_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<&'a Data>,
}

pub(in crate::wire) fn request(name: &ModelName, base: &str, request: &Request) -> Outgoing {
    let newer = generation(&name.model) >= 3;
    // Before the third generation a question may have tools or a schema. With both, the model is
    // told of the schema in words.
    let schema = request.schema.as_ref().map(|asked| &asked.schema);
    let as_such = newer || request.tools.is_empty();
    let system = match schema {
        Some(schema) if !as_such => {
            Some(Cow::Owned(told(request.system.as_deref(), schema.as_str())))
        }
        Some(_) | None => request.system.as_deref().map(Cow::Borrowed),
    };
    let schema = schema.filter(|_| as_such);
    let declared: Vec<Declared<'_>> = request
        .tools
        .iter()
        .map(|tool| Declared {
            name: &tool.name,
            description: &tool.description,
            parameters_json_schema: &tool.parameters,
        })
        .collect();
    let body = Body {
        system_instruction: system.map(|text| Instruction { parts: [plain(What::Text(text))] }),
        contents: contents(&request.messages, newer),
        tools: if declared.is_empty() {
            Vec::new()
        } else {
            vec![Tools { function_declarations: declared }]
        },
        generation_config: Config {
            temperature: request.temperature,
            max_output_tokens: request.max_tokens,
            response_mime_type: schema.map(|_| "application/json"),
            response_json_schema: schema,
        },
    };
    let tuned = name.model.starts_with("tunedModels/") || name.model.starts_with("models/");
    let kind = if tuned { "" } else { "models/" };
    let verb = match request.stream {
        true => "streamGenerateContent?alt=sse",
        false => "generateContent",
    };
    outgoing(format!("{base}/{kind}{}:{verb}", name.model), Vec::new(), &body)
}

/// `gemini-2.5-flash` is of the second.
fn generation(model: &str) -> u32 {
    let digits = model.trim_start_matches("models/").strip_prefix("gemini-").unwrap_or_default();
    digits.split(['.', '-']).next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

fn plain(what: What<'_>) -> Part<'_> {
    Part { what, thought_signature: None }
}

fn contents(messages: &[Message], signed: bool) -> Vec<Content<'_>> {
    let mut all: Vec<Content<'_>> = Vec::with_capacity(messages.len());
    let mut after_tool = false;
    for message in messages {
        let is_tool = matches!(message, Message::Tool { .. });
        match message {
            Message::User { text, files } => {
                let parts = vec![plain(What::Text(with_files(text, files)))];
                all.push(Content { role: "user", parts });
            }
            Message::Assistant { text, tool_calls } => {
                let text = (!text.is_empty()).then(|| plain(What::Text(text.into())));
                let calls = tool_calls.iter().enumerate().map(|(at, call)| Part {
                    what: What::FunctionCall(called(call)),
                    // We keep no signatures. The third generation wants one on the first call of an
                    // answer, and takes this word for it.
                    thought_signature: (signed && at == 0)
                        .then_some("skip_thought_signature_validator"),
                });
                let parts: Vec<Part<'_>> = text.into_iter().chain(calls).collect();
                if !parts.is_empty() {
                    all.push(Content { role: "model", parts });
                }
            }
            Message::Tool { id, name, content } => {
                let response = Outcome { result: content };
                let part =
                    plain(What::FunctionResponse(Response { id: theirs(id), name, response }));
                // The results of one answer's calls belong into one message.
                match all.last_mut() {
                    Some(last) if after_tool => last.parts.push(part),
                    Some(_) | None => all.push(Content { role: "user", parts: vec![part] }),
                }
            }
        }
        after_tool = is_tool;
    }
    all
}

fn theirs(id: &str) -> Option<&str> {
    Some(id).filter(|id| !id.is_empty() && !id.starts_with(OUR_ID))
}

/// Arguments must be an object. What the model wrote instead is handed back to it as it was.
fn called(call: &ToolCall) -> Call<'_> {
    let args = match Data::parse(call.arguments.as_str()) {
        Ok(data) if matches!(data.tree(), Ok(Json::Object(_))) => data,
        Ok(_) | Err(_) => Data::of(&serde_json::json!({ "unreadable": call.arguments })),
    };
    Call { id: theirs(&call.id), name: &call.name, args }
}
