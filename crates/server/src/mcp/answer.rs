//! `inbox_answer`: answers an entry of the inbox.

use consign_app::{
    next::next,
    runs::{self, Reply, Taken},
};
use consign_contracts::json::{Json, Object};

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
        its place, so that you can mend it and answer again. What is asked of a person is refused with \
        PERSON_REQUIRED, unless this client was started as a person's. `next` says how the run goes on.",
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
    let reply = Reply::Value(value);
    let answered = runs::answer(&context.home.engine, &run, Some(key), &reply, &context.by).await;
    taken(context, answered?).await
}

pub(super) async fn taken(
    context: &McpContext,
    Taken { row, key }: Taken,
) -> Result<Object<'static>, Failure> {
    let next = next(&context.home.engine, &row).await?;
    Ok(view::object([
        ("taken", Json::Bool(true)),
        ("run", view::text(&row.id)),
        ("interaction", view::text(key)),
        ("status", view::text(row.status)),
        ("next", view::text(next.hint(&row.id))),
    ]))
}
