//! `run_show`: one run with everything that belongs to it.

use consign_contracts::json::Object;

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};
use crate::view;

pub(super) const TOOL: Tool = Tool {
    name: "run_show",
    title: "One run, whole",
    description: "Gives everything about one run: its status, input, output or fault, limits and what it used, its \
        certificate, and what it waits for, with the schema of each answer. `needs_resume` says that no worker goes \
        on with it.",
    input: ONE,
    output: r#"{
        "type": "object",
        "required": ["id", "workflow", "status", "usage", "input", "output", "fault", "cancelled", "waits", "needs_resume"],
        "properties": {
            "id": {"type": "string"},
            "workflow": {"type": "string"},
            "pipeline": {"type": "string"},
            "status": {"type": "string", "enum": ["queued", "running", "waiting", "succeeded", "failed", "cancelled"]},
            "usage": {"type": "object"},
            "limits": {"type": "object"},
            "certificate": {"type": ["object", "null"]},
            "input": {"description": "What it was given."},
            "output": {"description": "What it came to, if it succeeded; else null."},
            "fault": {"type": ["object", "null"]},
            "cancelled": {"type": ["object", "null"]},
            "waits": {"type": "array", "items": {"type": "object"}},
            "needs_resume": {"type": "boolean"}
        }
    }"#,
    what: What::ShowRun,
};

/// Which run.
const ONE: &str = r#"{
    "type": "object",
    "additionalProperties": false,
    "required": ["run"],
    "properties": {
        "run": {"type": "string", "description": "The run, by its whole id."}
    }
}"#;

pub(super) async fn show(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let row = context.home.engine.store().row(&given.wanted_run()?).await?;
    Ok(view::current(&context.home.engine, &row).await?)
}
