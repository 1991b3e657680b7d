//! Reads a request to Anthropic, and checks it against Anthropic's rules.

use consign_models::Provider;
use serde_json::Value;

use super::{
    error::{dotted, missing, wrong},
    messages,
};
use crate::{
    asked::{Asked, Input, Wants},
    fields::{Fields, string},
    refusal::{Refusal, Unread},
    strict,
};

const KNOWN: &[&str] = &[
    "cache_control",
    "container",
    "context_management",
    "inference_geo",
    "max_tokens",
    "mcp_servers",
    "messages",
    "metadata",
    "model",
    "output_config",
    "output_format",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
];

pub(crate) fn read(body: &str, version: Option<&str>) -> Result<Asked, Refusal> {
    if version.is_none_or(str::is_empty) {
        return Err(Refusal::bad("anthropic-version: header is required"));
    }
    request(body).map_err(|unread| match unread {
        Unread::Refused(refusal) => refusal,
        Unread::Wrong(found) => wrong(&found),
    })
}

fn request(body: &str) -> Result<Asked, Unread> {
    let fields = Fields::read(body, "")?;
    let model = fields.text("model")?.ok_or_else(|| missing("model"))?;
    if model.is_empty() {
        return Err(Refusal::bad("model: String should have at least 1 character").into());
    }
    let max_tokens = fields.count("max_tokens")?.ok_or_else(|| missing("max_tokens"))?;
    if max_tokens == 0 {
        let told = "max_tokens: Input should be greater than or equal to 1";
        return Err(Refusal::bad(told).into());
    }
    if let Some(name) = fields.stranger(KNOWN) {
        let name: String = name.chars().take(80).collect();
        return Err(Refusal::bad(format!("{name}: Extra inputs are not permitted")).into());
    }
    for name in ["temperature", "top_p"] {
        if let Some(value) = fields.number(name)?
            && !(0.0..=1.0).contains(&value)
        {
            return Err(Refusal::bad(format!("{name}: range: 0..1")).into());
        }
    }
    let mut input = Input::default();
    system(&fields, &mut input)?;
    messages::read(&fields, &mut input)?;
    let wants = wants(&fields, &mut input)?;
    let stream = fields.flag("stream")?.unwrap_or_default();
    let (provider, include_usage, max_tokens) = (Provider::Anthropic, true, Some(max_tokens));
    Ok(Asked { provider, model, stream, include_usage, input, wants, max_tokens })
}

fn system(fields: &Fields<'_>, input: &mut Input) -> Result<(), Unread> {
    let Some(raw) = fields.raw("system") else { return Ok(()) };
    if let Some(text) = string(raw) {
        input.add(&text);
        return Ok(());
    }
    for block in fields.objects("system")?.unwrap_or_default() {
        input.add(&block.text("text")?.ok_or_else(|| missing(&block.at("text")))?);
    }
    Ok(())
}

fn wants(fields: &Fields<'_>, input: &mut Input) -> Result<Wants, Unread> {
    let mut tools = tools(fields, input)?.into_iter();
    if let Some(choice) = fields.object("tool_choice")? {
        let kind = choice.text("type")?.ok_or_else(|| missing("tool_choice.type"))?;
        let forced = match kind.as_str() {
            "auto" | "none" => None,
            "any" => tools.next().map(|(name, schema)| (name, schema, false)),
            "tool" => {
                let name = choice.text("name")?.ok_or_else(|| missing("tool_choice.name"))?;
                let Some((name, schema)) = tools.find(|(known, _)| *known == name) else {
                    let told = format!("Tool '{name}' not found in provided tools");
                    return Err(Refusal::bad(told).into());
                };
                Some((name, schema, true))
            }
            other => {
                let told = format!(
                    "tool_choice: Input tag '{other}' found using 'type' does not match any of the \
                     expected tags: 'auto', 'any', 'tool', 'none'"
                );
                return Err(Refusal::bad(told).into());
            }
        };
        if matches!(kind.as_str(), "any" | "tool") && forced.is_none() {
            return Err(Refusal::bad("tool_choice: tools are required for this type").into());
        }
        if let Some((name, schema, named)) = forced {
            return Ok(Wants::Tool { name, schema, named });
        }
    }
    output_format(fields, input)
}

fn tools(fields: &Fields<'_>, input: &mut Input) -> Result<Vec<(String, Value)>, Unread> {
    let mut offered = Vec::new();
    let objects = fields.objects("tools")?.unwrap_or_default();
    for (tool, (path, raw)) in objects.into_iter().zip(fields.list("tools")?.unwrap_or_default()) {
        input.add(raw);
        let name = tool.text("name")?.ok_or_else(|| missing(&tool.at("name")))?;
        // Tools that the provider runs itself have a type and no schema.
        let own = tool.text("type")?.is_none_or(|kind| kind == "custom");
        if !own {
            continue;
        }
        let schema =
            tool.value("input_schema")?.ok_or_else(|| missing(&tool.at("input_schema")))?;
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            let told = format!("{}.input_schema.type: Field required", dotted(&path));
            return Err(Refusal::bad(told).into());
        }
        if tool.flag("strict")? == Some(true) {
            strict::anthropic(&schema).map_err(|why| {
                Refusal::bad(format!("{}.custom.input_schema: {why}", dotted(&path)))
            })?;
        }
        offered.push((name, schema));
    }
    Ok(offered)
}

/// `output_config.format`; `output_format` is its older name.
fn output_format(fields: &Fields<'_>, input: &mut Input) -> Result<Wants, Unread> {
    let format = match fields.object("output_config")? {
        Some(config) => config.object("format")?,
        None => None,
    };
    let Some(format) =
        format.map_or_else(|| fields.object("output_format"), |its| Ok(Some(its)))?
    else {
        return Ok(Wants::Text);
    };
    let kind = format.text("type")?.ok_or_else(|| missing(&format.at("type")))?;
    if kind != "json_schema" {
        let told = format!("{}: Input should be 'json_schema'", dotted(&format.at("type")));
        return Err(Refusal::bad(told).into());
    }
    let raw = format.raw("schema").ok_or_else(|| missing(&format.at("schema")))?;
    input.add(raw);
    let schema = format.value("schema")?.unwrap_or_default();
    strict::anthropic(&schema)
        .map_err(|why| Refusal::bad(format!("{}: {why}", format.at("schema"))))?;
    Ok(Wants::Json(schema))
}
