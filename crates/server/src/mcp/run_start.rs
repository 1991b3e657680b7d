//! `run_start`: starts a run, which a worker takes.

use consign_app::{
    next::next,
    runs::{self, Admission, Start},
};
use consign_contracts::json::{Json, Object};
use consign_engine::{Placement, RunId, Settings};

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};
use crate::view;

pub(super) const TOOL: Tool = Tool {
    name: "run_start",
    title: "Start a run",
    description: "Starts a durable run of a workflow and leaves it to the workers; nothing is run here. Give it an \
        `id` of your own if you may have to send the call again: the same start under the same id is the same run, \
        and `repeated` says so. Limits can only be set here; raising them later is for a person. Built-in agents \
        are not started by themselves: use process_envelope for questions about code.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["workflow"],
        "properties": {
            "workflow": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Such as sample/steps or agent/call."},
            "input": {"description": "What the workflow is given: any JSON that fits its contract; {} if it is left out."},
            "id": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$", "description": "Your own name for the run."},
            "limits": {
                "type": "object",
                "additionalProperties": false,
                "description": "What it may use. Left out, a run may cost $10, work for 24 hours and make 100000 calls.",
                "properties": {
                    "cost_usd": {"type": "number", "minimum": 0},
                    "minutes": {"type": "number", "exclusiveMinimum": 0, "description": "Of work; waiting is free."},
                    "calls": {"type": "integer", "minimum": 0, "description": "Repeated ones included."}
                }
            },
            "certified": {"type": "boolean", "description": "Refuse it unless it is sure to end within its limits."}
        }
    }"#,
    output: r#"{
        "type": "object",
        "required": ["run", "repeated", "status", "next"],
        "properties": {
            "run": {"type": "string"},
            "repeated": {"type": "boolean", "description": "The same was started before under this id: it is that run."},
            "status": {"type": "string", "description": "Of the run."},
            "next": {"type": "string", "description": "How the run goes on."}
        }
    }"#,
    what: What::StartRun,
};

pub(super) async fn start(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let wanted = Start {
        id: given.text("id").map(RunId::new),
        workflow: given.text("workflow").unwrap_or_default(),
        input: given.data_or_empty("input"),
        owner: context.owner.clone(),
        limits: given.limits()?,
        placement: Placement::Anywhere,
        priority: 0,
        settings: Settings::default(),
        certified: given.flag("certified"),
        actor: context.by.actor.clone(),
    };
    let place = context.processor.place();
    let started = runs::start(&context.home.engine, wanted, Admission::Outside(&place)).await?;
    let row = context.home.engine.store().row(&started.run).await?;
    let next = next(&context.home.engine, &row).await?;
    Ok(view::object([
        ("run", view::text(&row.id)),
        ("repeated", Json::Bool(started.repeated)),
        ("status", view::text(row.status)),
        ("next", view::text(next.hint(&row.id))),
    ]))
}
