//! `run_cancel`: asks for a run to end.

use consign_app::{next::next, runs};
use consign_contracts::json::Object;

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};
use crate::view;

pub(super) const TOOL: Tool = Tool {
    name: "run_cancel",
    title: "Cancel a run",
    description: "Asks for a run to end, for good. What is under way is told to stop, its cost is settled, and then \
        the run closes as cancelled: at once, or when the worker that has it gets to it (`status` says which). \
        Cancel only runs that you started, or that the person you work for told you to.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["run"],
        "properties": {
            "run": {"type": "string", "description": "The run, by its whole id."},
            "reason": {"type": "string", "description": "Why, for the journal."}
        }
    }"#,
    output: STANDS,
    what: What::CancelRun,
};

/// How a run stands after something was delivered to it.
pub(super) const STANDS: &str = r#"{
    "type": "object",
    "required": ["run", "status", "next"],
    "properties": {
        "run": {"type": "string"},
        "status": {"type": "string", "description": "Of the run. One that is to be cancelled is, or will be."},
        "next": {"type": "string", "description": "How the run goes on."}
    }
}"#;

pub(super) async fn cancel(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let (run, reason) = (given.wanted_run()?, given.text("reason"));
    let row = runs::cancel_unattended(&context.home.engine, &run, reason, &context.by).await?;
    let next = next(&context.home.engine, &row).await?;
    Ok(view::object([
        ("run", view::text(&row.id)),
        ("status", view::text(row.status)),
        ("next", view::text(next.hint(&row.id))),
    ]))
}
