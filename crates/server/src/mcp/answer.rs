//! `inbox_answer`

use consign_contracts::json::{Json, Object};
use consign_engine::{Key, RunId, store::Row};

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};
use crate::view;

pub(super) const TOOL: Tool = Tool {
    name: "inbox_answer",
    title: "Answer an entry of the inbox",
    description: "Answers one entry, for good: the first answer counts, and there is no second. `value` is \
        JSON that fits the schema of the entry (see inbox_show); it is checked, and a breach is told with \
        its place, so that you can mend it and answer again. Do not answer approvals, confirmations, \
        interventions or limits unless the person you work for told you what to answer. `next` says how the \
        run goes on.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["run", "interaction", "value"],
        "properties": {
            "run": {"type": "string", "description": "The run, by its whole id."},
            "interaction": {"type": "string", "description": "The entry, as inbox_list names it."},
            "value": {"description": "The answer: any JSON that fits the entry's schema."}
        }
    }"#,
    output: TAKEN,
    what: What::Answer,
};

/// What was taken, and how the run goes on.
pub(super) const TAKEN: &str = r#"{
    "type": "object",
    "required": ["taken", "run", "interaction", "status", "next"],
    "properties": {
        "taken": {"const": true},
        "run": {"type": "string"},
        "interaction": {"type": "string"},
        "status": {"type": "string", "description": "Of the run."},
        "next": {"type": "string", "description": "How the run goes on."}
    }
}"#;

pub(super) async fn answer(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let (run, key) = given.ask()?;
    let value = given.data("value");
    context.engine.answer(&run, &key, &value, &context.actor).await?;
    taken(context, &run, &key).await
}

pub(super) async fn taken(
    context: &McpContext,
    run: &RunId,
    key: &Key,
) -> Result<Object<'static>, Failure> {
    let row = context.engine.store().row(run).await?;
    let next = next(context, &row).await?;
    Ok(view::object([
        ("taken", Json::Bool(true)),
        ("run", view::text(run)),
        ("interaction", view::text(key)),
        ("status", view::text(row.status)),
        ("next", view::text(next)),
    ]))
}

async fn next(context: &McpContext, row: &Row) -> Result<String, Failure> {
    if row.status.is_closed() {
        return Ok("the run is over".to_owned());
    }
    if let Some(command) = context.engine.goes_on_with(row).await? {
        return Ok(format!("the answer is in the project; go on with: {command}"));
    }
    Ok(if view::needs_resume(row, context.engine.now()) {
        format!("go on with: consign runs resume {}", row.id)
    } else {
        "a worker goes on with it".to_owned()
    })
}
