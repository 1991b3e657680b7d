//! `inbox_list`: a page of the inbox.

use consign_app::{inbox, listing::Page};
use consign_contracts::json::{Json, Object};
use consign_engine::{AskKind, Key, RunId, store::InboxQuery};

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};
use crate::{endpoint::run_id, error::Problem, view};

const DEFAULT: usize = 20;
/// Letters of a prompt that a list shows.
const SHOWN: usize = 400;

pub(super) const TOOL: Tool = Tool {
    name: "inbox_list",
    title: "What waits for an answer",
    description: "Lists what runs wait for and you can answer, oldest first: agent_response is the work of an AI \
        agent; clarification, confirmation, approval, intervention and limit are listed only for a person's client. Prompts are cut; inbox_show gives an entry whole, with the schema of its answer. If there \
        is a `cursor`, give it back for the next page.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "run": {"type": "string", "description": "Only what this run asks: its whole id."},
            "kind": {"type": "string", "enum": ["clarification", "confirmation", "approval", "intervention", "limit", "agent_response"], "description": "Only this kind."},
            "agent": {"type": "string", "description": "Only what is to be answered in the place of this agent, such as architectural-reviewer."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Entries at most; 20 if it is left out."},
            "cursor": {"type": "string", "description": "Where the page before ended."}
        }
    }"#,
    output: r#"{
        "type": "object",
        "required": ["items", "cursor"],
        "properties": {
            "items": {"type": "array", "items": {
                "type": "object",
                "required": ["run", "interaction", "kind", "prompt", "prompt_is_cut", "opened_at"],
                "properties": {
                    "run": {"type": "string"},
                    "interaction": {"type": "string"},
                    "kind": {"type": "string"},
                    "agent": {"type": "string"},
                    "code": {"type": "string"},
                    "prompt": {"type": "string"},
                    "prompt_is_cut": {"type": "boolean"},
                    "deadline": {"type": ["string", "null"]},
                    "opened_at": {"type": "string"}
                }
            }},
            "cursor": {"type": ["string", "null"]}
        }
    }"#,
    what: What::List,
};

pub(super) async fn list(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let run = given.run()?;
    let after = given.text("cursor").map(|cursor| position(&cursor)).transpose()?;
    let kind = given.text("kind").and_then(|kind| AskKind::from_word(&kind));
    let most = given.count("limit").unwrap_or(DEFAULT);
    let agent = given.text("agent");
    let query = InboxQuery { run, kind, agent, after, most, ..InboxQuery::default() };
    let Page { items, cursor } = inbox::list(&context.home.engine, query, context.by.role).await?;
    let items = items.iter().map(|ask| Json::Object(short(view::interaction(ask)))).collect();
    let cursor = cursor.map_or(Json::Null, view::text);
    Ok(view::object([("items", Json::Array(items)), ("cursor", cursor)]))
}

/// Ids of runs have no slash.
fn position(cursor: &str) -> Result<(RunId, Key), Failure> {
    let (run, key) = cursor.split_once('/').ok_or_else(unknown)?;
    Ok((run_id(run.to_owned())?, Key::from(key)))
}

fn unknown() -> Failure {
    Problem::new("VALIDATION_ERROR", "the cursor names no entry; use the one of the page before")
        .into()
}

/// An entry as a list shows it: without its schema, and with a prompt of bounded length.
fn short(entry: Object<'static>) -> Object<'static> {
    let prompt = entry.get("prompt").and_then(Json::as_str).unwrap_or_default();
    let cut = prompt.chars().nth(SHOWN).is_some();
    let shown: String = prompt.chars().take(SHOWN).collect();
    let kept = |name: &str| !["schema", "default", "prompt"].contains(&name);
    let rest = entry.iter().filter(|(name, _)| kept(name));
    let mut short: Object<'static> =
        rest.map(|(name, value)| (name.to_owned().into(), value.clone())).collect();
    short.set("prompt", view::text(shown));
    short.set("prompt_is_cut", Json::Bool(cut));
    short
}
