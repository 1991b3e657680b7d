//! `run_list`: a page of runs.

use consign_app::{listing::Page, runs};
use consign_contracts::json::{Json, Object};
use consign_engine::{RunId, Status, store::RunQuery};

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};
use crate::view;

const DEFAULT: usize = 20;

pub(super) const TOOL: Tool = Tool {
    name: "run_list",
    title: "The runs",
    description: "Lists runs, newest first, each with its workflow, status and what it has spent; run_show gives one \
        whole. If there is a `cursor`, give it back for the next page.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "status": {"type": "string", "enum": ["queued", "running", "waiting", "succeeded", "failed", "cancelled"], "description": "Only runs of this status."},
            "workflow": {"type": "string", "description": "Only runs of this workflow."},
            "label": {"type": "string", "description": "Only runs with this label of their workflow, such as awaiting_approval."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Runs at most; 20 if it is left out."},
            "cursor": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,100}$", "description": "Where the page before ended."}
        }
    }"#,
    output: r#"{
        "type": "object",
        "required": ["items", "cursor"],
        "properties": {
            "items": {"type": "array", "items": {
                "type": "object",
                "required": ["id", "workflow", "status", "usage", "created_at", "updated_at"],
                "properties": {
                    "id": {"type": "string"},
                    "workflow": {"type": "string"},
                    "pipeline": {"type": "string"},
                    "status": {"type": "string"},
                    "usage": {"type": "object"},
                    "created_at": {"type": "string"},
                    "updated_at": {"type": "string"}
                }
            }},
            "cursor": {"type": ["string", "null"]}
        }
    }"#,
    what: What::ListRuns,
};

pub(super) async fn list(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let query = RunQuery {
        status: given.text("status").and_then(|status| Status::from_word(&status)),
        workflow: given.text("workflow"),
        label: given.text("label"),
        before: given.text("cursor").map(RunId::new),
        most: given.count("limit").unwrap_or(DEFAULT),
        ..RunQuery::default()
    };
    let Page { items, cursor } = runs::list(&context.home.engine, query).await?;
    let items = items.into_iter().map(Json::Object).collect();
    let cursor = cursor.map_or(Json::Null, view::text);
    Ok(view::object([("items", Json::Array(items)), ("cursor", cursor)]))
}
