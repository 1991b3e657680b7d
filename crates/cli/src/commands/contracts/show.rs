//! `consign contracts show NAME`: one contract, field by field, or its JSON Schema.

use consign_contracts::{Contract, json::Json};

use super::name;
use crate::{
    error::{Error, Exit},
    output::{Audience, FAINT, Output, STRONG, object, styled},
};

const HELP: &str = "\
On a terminal this explains the contract; in a pipe it writes the JSON Schema (draft-07).

Examples:
  consign contracts show crew/agent-failure
  consign contracts show crew/agent-failure > agent-failure.schema.json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The contract, such as `bridge/agent-request`
    name: String,

    /// Write the JSON Schema on a terminal too
    #[arg(long)]
    raw: bool,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let contract = name::find(&args.name)?;
    match output.reader {
        Audience::Program => output.object(object([
            ("name", Json::from(contract.name)),
            ("title", Json::from(contract.title)),
            ("document", Json::from(contract.document.title)),
            ("version", Json::from(contract.document.version)),
            ("digest", Json::String(contract.digest().into())),
            ("page", Json::from(contract.document.page)),
            ("schema", contract.source()),
        ]))?,
        Audience::Person if !args.raw => explain(contract, output)?,
        Audience::Person | Audience::Pipe => output.text(contract.published())?,
    }
    Ok(Exit::Done)
}

fn explain(contract: &Contract, output: &mut Output) -> Result<(), Error> {
    let schema = contract.source();
    let document = contract.document;
    output.line(format!("{}  {}", styled(STRONG, contract.name), contract.title))?;
    output.line(styled(
        FAINT,
        format!(
            "{} {} · {} · {}",
            document.title,
            document.version,
            document.page,
            contract.digest()
        ),
    ))?;
    if let Some(Json::String(description)) = schema.get("description") {
        output.line(description)?;
    }
    let mut rows = Vec::new();
    fields("", &schema, 0, &mut rows);
    output.rows(&["field", "type", "rules", "meaning"], rows)?;
    output.line(match schema.get("additionalProperties") {
        Some(Json::Bool(false)) => "Closed: a field that is not listed is refused.",
        _ => "Open: fields that are not listed are kept.",
    })?;
    output.line(styled(FAINT, "* must be there.  `--raw` shows the JSON Schema itself."))?;
    Ok(())
}

/// A row for each field, those of nested objects and items below their own.
fn fields(path: &str, schema: &Json<'_>, depth: usize, rows: &mut Vec<Vec<String>>) {
    const DEEPEST: usize = 3;
    let required: Vec<&str> = match schema.get("required") {
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let Some(Json::Object(properties)) = schema.get("properties") else { return };
    for (name, field) in properties.iter() {
        let here = format!("{path}{name}");
        let star = if required.contains(&name) { "*" } else { "" };
        let meaning = field.get("description").and_then(Json::as_str).unwrap_or_default();
        rows.push(vec![format!("{here}{star}"), kind(field), rules(field), meaning.to_owned()]);
        if depth < DEEPEST {
            fields(&format!("{here}."), field, depth + 1, rows);
            if let Some(items) = field.get("items") {
                fields(&format!("{here}[]."), items, depth + 1, rows);
            }
        }
    }
}

fn kind(schema: &Json<'_>) -> String {
    let name = match schema.get("type") {
        Some(Json::String(kind)) => kind.to_string(),
        Some(Json::Array(kinds)) => {
            kinds.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(" or ")
        }
        _ => "anything".to_owned(),
    };
    match schema.get("items") {
        Some(items) => format!("{name} of {}", kind(items)),
        None => name,
    }
}

/// The keywords that narrow a field, shortly.
fn rules(schema: &Json<'_>) -> String {
    let Json::Object(keywords) = schema else { return String::new() };
    let mut rules = Vec::new();
    for (keyword, value) in keywords.iter() {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match keyword {
            "enum" => {
                let words = value.as_array().unwrap_or_default().iter();
                let words =
                    words.map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned));
                rules.push(words.collect::<Vec<_>>().join(" | "));
            }
            "format" | "pattern" => rules.push(text),
            "minimum" => rules.push(format!("≥ {text}")),
            "maximum" => rules.push(format!("≤ {text}")),
            "minLength" => rules.push(format!("at least {text} characters")),
            "maxLength" => rules.push(format!("at most {text} characters")),
            "minItems" if text != "0" => rules.push(format!("at least {text} items")),
            "maxItems" => rules.push(format!("at most {text} items")),
            "default" => rules.push(format!("default {text}")),
            _ => {}
        }
    }
    rules.join(", ")
}
