//! Reads a request to Google, and checks it against Google's rules. Members may be in camel or
//! snake case.

use consign_models::Provider;
use serde_json::Value;

use super::{
    contents,
    error::{stranger, wrong},
    schema,
};
use crate::{
    asked::{Asked, Input, Wants},
    fields::{Fields, Wrong},
    refusal::{Refusal, Unread},
};

const KNOWN: &[&str] = &[
    "cachedContent",
    "contents",
    "generationConfig",
    "labels",
    "model",
    "safetySettings",
    "serviceTier",
    "store",
    "systemInstruction",
    "toolConfig",
    "tools",
];
const KNOWN_CONFIG: &[&str] = &[
    "candidateCount",
    "enableEnhancedCivicAnswers",
    "frequencyPenalty",
    "imageConfig",
    "logprobs",
    "maxOutputTokens",
    "mediaResolution",
    "presencePenalty",
    "responseJsonSchema",
    "responseLogprobs",
    "responseMimeType",
    "responseModalities",
    "responseSchema",
    "_responseJsonSchema",
    "seed",
    "speechConfig",
    "stopSequences",
    "temperature",
    "thinkingConfig",
    "topK",
    "topP",
];

pub(crate) fn read(body: &str, model: &str, stream: bool) -> Result<Asked, Refusal> {
    request(body, model, stream).map_err(|unread| match unread {
        Unread::Refused(refusal) => refusal,
        Unread::Wrong(found) => wrong(&found),
    })
}

fn request(body: &str, model: &str, stream: bool) -> Result<Asked, Unread> {
    let fields = Fields::read(body, "")?.camel();
    if let Some(name) = fields.stranger(KNOWN) {
        return Err(stranger(name, "").into());
    }
    let mut input = Input::default();
    if let Some(system) = fields.object("systemInstruction")? {
        for part in system.objects("parts")?.unwrap_or_default() {
            input.add(&part.text("text")?.unwrap_or_default());
        }
    }
    contents::read(&fields, &mut input)?;
    let tools = tools(&fields, &mut input)?;
    let config = fields.object("generationConfig")?.map(Fields::camel);
    let mut wants = Wants::Text;
    let mut max_tokens = None;
    if let Some(config) = &config {
        if let Some(name) = config.stranger(KNOWN_CONFIG) {
            return Err(stranger(name, "generation_config").into());
        }
        max_tokens = limit(config)?;
        wants = format(config, &mut input)?;
    }
    if let Some(forced) = forced(&fields, tools)? {
        wants = forced;
    }
    let (provider, model, include_usage) = (Provider::Google, model.to_owned(), true);
    Ok(Asked { provider, model, stream, include_usage, input, wants, max_tokens })
}

fn limit(config: &Fields<'_>) -> Result<Option<u64>, Unread> {
    if let Some(value) = config.number("temperature")?
        && !(0.0..=2.0).contains(&value)
    {
        let told = format!(
            "* GenerateContentRequest.generation_config.temperature: temperature must be in the \
             range [0.0, 2.0], but is {value}\n"
        );
        return Err(Refusal::bad(told).into());
    }
    if config.count("candidateCount")?.is_some_and(|count| count > 1) {
        return Err(Refusal::bad("The double gives one candidate.").into());
    }
    let most = config.count("maxOutputTokens")?;
    if most == Some(0) {
        let told = "* GenerateContentRequest.generation_config.max_output_tokens: \
                    max_output_tokens must be positive.\n";
        return Err(Refusal::bad(told).into());
    }
    Ok(most)
}

fn format(config: &Fields<'_>, input: &mut Input) -> Result<Wants, Unread> {
    let mime = config.text("responseMimeType")?.unwrap_or_default();
    let names = ["responseJsonSchema", "_responseJsonSchema", "responseSchema"];
    let given: Vec<&str> = names.into_iter().filter(|name| config.has(name)).collect();
    let Some(name) = given.first() else {
        return Ok(if mime == "application/json" { Wants::AnyJson } else { Wants::Text });
    };
    if given.len() > 1 {
        let told = "* GenerateContentRequest.generation_config: response_schema and \
                    response_json_schema cannot both be set.\n";
        return Err(Refusal::bad(told).into());
    }
    if !matches!(mime.as_str(), "application/json" | "text/x.enum") {
        let told = "* GenerateContentRequest.generation_config.response_schema: only allowed with \
                    response_mime_type 'application/json' or 'text/x.enum'.\n";
        return Err(Refusal::bad(told).into());
    }
    input.add(config.raw(name).unwrap_or_default());
    let given = config.value(name)?.unwrap_or_default();
    let given = if *name == "responseSchema" { schema::plain(given) } else { given };
    Ok(if mime == "text/x.enum" { Wants::Word(given) } else { Wants::Json(given) })
}

type Offered = Vec<(String, Value)>;

fn tools(fields: &Fields<'_>, input: &mut Input) -> Result<Offered, Unread> {
    let mut offered = Vec::new();
    for tool in fields.objects("tools")?.unwrap_or_default() {
        let tool = tool.camel();
        for (path, raw) in tool.list("functionDeclarations")?.unwrap_or_default() {
            input.add(raw);
            let function = Fields::read(raw, &path)?.camel();
            let Some(name) = function.text("name")?.filter(|name| !name.is_empty()) else {
                let told =
                    format!("* GenerateContentRequest.{path}.name: Invalid function name.\n");
                return Err(Refusal::bad(told).into());
            };
            let schema = match function.value("parametersJsonSchema")? {
                Some(schema) => schema,
                None => schema::plain(
                    function
                        .value("parameters")?
                        .unwrap_or_else(|| serde_json::json!({"type": "object"})),
                ),
            };
            offered.push((name, schema));
        }
    }
    Ok(offered)
}

/// The tool that must be called, if one must.
fn forced(fields: &Fields<'_>, tools: Offered) -> Result<Option<Wants>, Unread> {
    let Some(config) = fields.object("toolConfig")?.map(Fields::camel) else { return Ok(None) };
    let Some(calling) = config.object("functionCallingConfig")?.map(Fields::camel) else {
        return Ok(None);
    };
    let mode = calling.text("mode")?.unwrap_or_default();
    match mode.to_ascii_uppercase().as_str() {
        "" | "AUTO" | "NONE" | "VALIDATED" | "MODE_UNSPECIFIED" => return Ok(None),
        "ANY" => {}
        _ => {
            let path = calling.at("mode");
            let (wanted, found) = ("one of AUTO, ANY, NONE, VALIDATED", "another word");
            return Err(Wrong { path, wanted, found }.into());
        }
    }
    let mut allowed = Vec::new();
    for (_, raw) in calling.list("allowedFunctionNames")?.unwrap_or_default() {
        allowed.extend(crate::fields::string(raw));
    }
    let fits = |(name, _): &(String, Value)| allowed.is_empty() || allowed.contains(name);
    match tools.into_iter().find(fits) {
        Some((name, schema)) => Ok(Some(Wants::Tool { name, schema, named: allowed.len() == 1 })),
        None => {
            let told = "* GenerateContentRequest.tool_config.function_calling_config: there is no \
                        declared function to call.\n";
            Err(Refusal::bad(told).into())
        }
    }
}
