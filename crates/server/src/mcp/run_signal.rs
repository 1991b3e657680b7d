//! `run_signal`: sends a signal to a run.

use consign_app::{next::next, runs};
use consign_contracts::json::Object;

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    run_cancel::STANDS,
    tool::{Tool, What},
};
use crate::view;

pub(super) const TOOL: Tool = Tool {
    name: "run_signal",
    title: "Send a signal to a run",
    description: "Sends a run something that its workflow takes without having asked for it. Each workflow declares its \
        signals and what their values look like; another name is refused with SIGNAL_NOT_FOUND, and a signal that is for \
        a person with PERSON_REQUIRED.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["run", "name"],
        "properties": {
            "run": {"type": "string", "description": "The run, by its whole id."},
            "name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "The signal."},
            "value": {"description": "Its value: any JSON that fits the contract of the signal; null if left out."}
        }
    }"#,
    output: STANDS,
    what: What::SignalRun,
};

pub(super) async fn signal(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let (run, name) = (given.wanted_run()?, given.text("name").unwrap_or_default());
    let value = given.data("value");
    let row = runs::signal(&context.home.engine, &run, &name, &value, &context.by).await?;
    let next = next(&context.home.engine, &row).await?;
    Ok(view::object([
        ("run", view::text(&row.id)),
        ("status", view::text(row.status)),
        ("next", view::text(next.hint(&row.id))),
    ]))
}
