//! `inbox_show`: one entry of the inbox, with the schema of its answer.

use consign_contracts::json::Object;
use consign_engine::{Fault, Role, store::AskState};

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};
use crate::view;

pub(super) const TOOL: Tool = Tool {
    name: "inbox_show",
    title: "One entry of the inbox, whole",
    description: "Gives everything about one entry: the whole prompt, the JSON Schema that an answer must \
        fit, the agent in whose place it is asked, the deadline, and whether it can still be answered. Read \
        this before you answer.",
    input: ONE,
    output: r#"{
        "type": "object",
        "required": ["run", "interaction", "kind", "prompt", "schema", "deadline", "opened_at", "workflow", "state"],
        "properties": {
            "run": {"type": "string"},
            "interaction": {"type": "string"},
            "kind": {"type": "string"},
            "agent": {"type": "string"},
            "code": {"type": "string"},
            "prompt": {"type": "string"},
            "schema": {"description": "The JSON Schema of an answer."},
            "default": {"description": "What counts if no answer comes in time."},
            "deadline": {"type": ["string", "null"]},
            "opened_at": {"type": "string"},
            "workflow": {"type": "string"},
            "state": {"type": "string", "enum": ["open", "answered", "expired", "withdrawn"]}
        }
    }"#,
    what: What::Show,
};

/// Which entry.
const ONE: &str = r#"{
    "type": "object",
    "additionalProperties": false,
    "required": ["run", "interaction"],
    "properties": {
        "run": {"type": "string", "description": "The run, by its whole id."},
        "interaction": {"type": "string", "description": "The entry, as inbox_list names it."}
    }
}"#;

pub(super) async fn show(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let (run, key) = given.ask()?;
    let store = context.home.engine.store();
    let row = store.row(&run).await?;
    let ask = store.interaction(&run, &key).await?;
    let ask = ask.ok_or_else(|| {
        let text = format!("run {run} never asked {key}");
        consign_engine::Error::from(Fault::permanent("INTERACTION_NOT_FOUND", text))
    })?;
    if ask.kind.audience() == Role::Person && context.by.role == Role::Agent {
        let text = format!("{key} of run {run} is for a person, and you act as an agent");
        return Err(consign_engine::Error::from(Fault::permanent("PERSON_REQUIRED", text)).into());
    }
    let mut entry = view::interaction(&ask);
    entry.set("workflow", view::text(&row.workflow));
    let state = match ask.state {
        AskState::Open => "open",
        AskState::Answered => "answered",
        AskState::Expired => "expired",
        AskState::Withdrawn => "withdrawn",
    };
    entry.set("state", view::text(state));
    Ok(entry)
}
