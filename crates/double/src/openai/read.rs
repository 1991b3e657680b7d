//! Reads a chat completion request, and checks it against the rules of its provider.

use consign_models::Provider;

use super::{
    error::{invalid, missing, wrong},
    messages,
};
use crate::{
    asked::{Asked, Input, Wants},
    fields::Fields,
    refusal::{Refusal, Unread},
    strict,
};

/// The members that OpenAI accepts. The other providers ignore unknown ones.
const KNOWN: &[&str] = &[
    "audio",
    "frequency_penalty",
    "function_call",
    "functions",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "modalities",
    "model",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
];

pub(crate) fn read(body: &str, provider: Provider) -> Result<Asked, Refusal> {
    request(body, provider).map_err(|unread| match unread {
        Unread::Refused(refusal) => refusal,
        Unread::Wrong(found) => wrong(&found),
    })
}

fn request(body: &str, provider: Provider) -> Result<Asked, Unread> {
    let fields = Fields::read(body, "")?;
    let Some(model) = fields.text("model")?.filter(|model| !model.is_empty()) else {
        return Err(Refusal::bad("you must provide a model parameter").into());
    };
    if provider == Provider::OpenAi {
        if let Some(name) = fields.stranger(KNOWN) {
            let name: String = name.chars().take(80).collect();
            let told = format!("Unrecognized request argument supplied: {name}");
            return Err(Refusal::bad(told).into());
        }
        if reasons(&model) {
            refuse_what_reasoning_models_do(&fields)?;
        }
    }
    check_ranges(&fields)?;
    let mut input = Input::default();
    messages::read(&fields, &mut input)?;
    let wants = wants(&fields, &mut input, provider)?;
    let stream = fields.flag("stream")?.unwrap_or_default();
    let options = fields.object("stream_options")?;
    if options.is_some() && !stream && provider == Provider::OpenAi {
        let told = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
        return Err(Refusal::bad(told).about("stream_options").into());
    }
    let include_usage = match options {
        Some(options) => options.flag("include_usage")?.unwrap_or_default(),
        None => false,
    };
    let max_tokens = match fields.count("max_completion_tokens")? {
        Some(most) => Some(most),
        None => fields.count("max_tokens")?,
    };
    Ok(Asked { provider, model, stream, include_usage, input, wants, max_tokens })
}

/// Whether a model of OpenAI's thinks before it answers.
fn reasons(model: &str) -> bool {
    let digit_follows = |rest: &str| rest.starts_with(|next: char| next.is_ascii_digit());
    model.starts_with("gpt-5") && !model.starts_with("gpt-5-chat")
        || model.strip_prefix('o').is_some_and(digit_follows)
}

fn refuse_what_reasoning_models_do(fields: &Fields<'_>) -> Result<(), Unread> {
    if fields.has("max_tokens") {
        let told = "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                    'max_completion_tokens' instead.";
        return Err(Refusal::bad(told).about("max_tokens").coded("unsupported_parameter").into());
    }
    for name in ["temperature", "top_p"] {
        if let Some(value) = fields.number(name)?
            && (value - 1.0).abs() > f64::EPSILON
        {
            let told = format!(
                "Unsupported value: '{name}' does not support {value} with this model. Only the \
                 default (1) value is supported."
            );
            return Err(Refusal::bad(told).about(name).coded("unsupported_value").into());
        }
    }
    Ok(())
}

fn check_ranges(fields: &Fields<'_>) -> Result<(), Unread> {
    for (name, low, high) in [("temperature", 0.0, 2.0), ("top_p", 0.0, 1.0)] {
        if let Some(value) = fields.number(name)?
            && !(low..=high).contains(&value)
        {
            let told = format!(
                "Invalid '{name}': decimal out of range. Expected a value between {low} and {high}, \
                 but got {value} instead."
            );
            return Err(Refusal::bad(told).about(name).into());
        }
    }
    for name in ["max_tokens", "max_completion_tokens", "n"] {
        if fields.count(name)? == Some(0) {
            let told = format!(
                "Invalid '{name}': integer below minimum value. Expected a value >= 1, but got 0 \
                 instead."
            );
            return Err(Refusal::bad(told).about(name).coded("integer_below_min_value").into());
        }
    }
    if fields.count("n")?.is_some_and(|n| n > 1) {
        return Err(Refusal::bad("The double gives one choice: 'n' must be 1.").about("n").into());
    }
    Ok(())
}

fn wants(fields: &Fields<'_>, input: &mut Input, provider: Provider) -> Result<Wants, Unread> {
    let tools = tools(fields, input)?;
    let format = response_format(fields, input, provider)?;
    let Some(raw) = fields.raw("tool_choice") else { return Ok(format) };
    if tools.is_empty() && raw != "\"none\"" {
        let told = "'tool_choice' is only allowed when 'tools' are specified.";
        return Err(Refusal::bad(told).about("tool_choice").into());
    }
    let mut tools = tools.into_iter();
    match crate::fields::string(raw).as_deref() {
        Some("none" | "auto") => Ok(format),
        Some("required") => Ok(tools.next().map_or(format, |(name, schema)| Wants::Tool {
            name,
            schema,
            named: false,
        })),
        Some(other) => {
            Err(invalid("tool_choice".into(), other, &["none", "auto", "required"]).into())
        }
        None => {
            let choice = Fields::read(raw, "tool_choice")?;
            let Some(function) = choice.object("function")? else { return Ok(format) };
            let name = function
                .text("name")?
                .ok_or_else(|| missing("tool_choice.function.name".into()))?;
            match tools.find(|(known, _)| *known == name) {
                Some((name, schema)) => Ok(Wants::Tool { name, schema, named: true }),
                None => {
                    let told = "Tool choice 'function.name' not found in 'tools' parameter.";
                    Err(Refusal::bad(told).about("tool_choice").into())
                }
            }
        }
    }
}

type Offered = Vec<(String, serde_json::Value)>;

fn tools(fields: &Fields<'_>, input: &mut Input) -> Result<Offered, Unread> {
    let mut offered = Vec::new();
    for (tool, (path, raw)) in fields
        .objects("tools")?
        .unwrap_or_default()
        .into_iter()
        .zip(fields.list("tools")?.unwrap_or_default())
    {
        input.add(raw);
        let kind = tool.text("type")?.ok_or_else(|| missing(tool.at("type")))?;
        if kind != "function" {
            return Err(invalid(tool.at("type"), &kind, &["function"]).into());
        }
        let function = tool.object("function")?.ok_or_else(|| missing(tool.at("function")))?;
        let name = function.text("name")?.ok_or_else(|| missing(function.at("name")))?;
        check_name(&name, function.at("name"))?;
        let schema = function.value("parameters")?.unwrap_or_else(|| serde_json::json!({}));
        if function.flag("strict")? == Some(true) {
            strict::openai(&schema).map_err(|why| {
                let told = format!("Invalid schema for function '{name}': {why}");
                Refusal::bad(told)
                    .about(format!("{path}.function.parameters"))
                    .coded("invalid_function_parameters")
            })?;
        }
        offered.push((name, schema));
    }
    Ok(offered)
}

fn response_format(
    fields: &Fields<'_>,
    input: &mut Input,
    provider: Provider,
) -> Result<Wants, Unread> {
    let Some(format) = fields.object("response_format")? else { return Ok(Wants::Text) };
    let kind = format.text("type")?.ok_or_else(|| missing(format.at("type")))?;
    match kind.as_str() {
        "text" => Ok(Wants::Text),
        "json_object" if provider == Provider::OpenAi && !input.says_json => {
            let told = "'messages' must contain the word 'json' in some form, to use \
                        'response_format' of type 'json_object'.";
            Err(Refusal::bad(told).about("messages").into())
        }
        "json_object" => Ok(Wants::AnyJson),
        "json_schema" => {
            let named =
                format.object("json_schema")?.ok_or_else(|| missing(format.at("json_schema")))?;
            let name = named.text("name")?.ok_or_else(|| missing(named.at("name")))?;
            check_name(&name, named.at("name"))?;
            let Some(raw) = named.raw("schema") else { return Ok(Wants::AnyJson) };
            input.add(raw);
            let schema = named.value("schema")?.unwrap_or_default();
            if provider == Provider::OpenAi && named.flag("strict")? == Some(true) {
                strict::openai(&schema).map_err(|why| {
                    Refusal::bad(format!("Invalid schema for response_format '{name}': {why}"))
                        .about("response_format")
                })?;
            }
            Ok(Wants::Json(schema))
        }
        other => {
            Err(invalid(format.at("type"), other, &["json_object", "json_schema", "text"]).into())
        }
    }
}

fn check_name(name: &str, path: String) -> Result<(), Refusal> {
    let fit = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if name.is_empty() || name.len() > 64 || !name.chars().all(fit) {
        let told = format!(
            "Invalid '{path}': string does not match pattern. Expected a string that matches the \
             pattern '^[a-zA-Z0-9_-]+$' and has at most 64 characters."
        );
        return Err(Refusal::bad(told).about(path).coded("invalid_value"));
    }
    Ok(())
}
