//! `job_list`: a page of supervised jobs.

use consign_app::jobs::{OutsideList, job_line};
use consign_contracts::job::JobStatus;
use consign_engine::RunId;
use serde_json::{Value, json};

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};

const DEFAULT: usize = 20;

pub(super) const TOOL: Tool = Tool {
    name: "job_list",
    title: "The jobs",
    description: "Lists supervised jobs, newest first, each with its status and what its newest run has spent, in \
        cents; job_show gives one whole. If there is a `next`, give it back as `before` for the next page.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "status": {"type": "string", "enum": ["DRAFT", "PENDING", "RUNNING", "REVIEWING", "SUCCESS", "CANCELED", "INTERVENTION_REQUIRED", "HALTED_COST", "HALTED_TIME"], "description": "Only jobs of this status."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Jobs at most; 20 if it is left out."},
            "before": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,100}$", "description": "Where the page before ended."}
        }
    }"#,
    output: r#"{
        "type": "object",
        "required": ["jobs", "next"],
        "properties": {
            "jobs": {"type": "array", "items": {
                "type": "object",
                "required": ["job_id", "run", "status", "cost", "created_at", "updated_at"],
                "properties": {
                    "job_id": {"type": "string"},
                    "run": {"type": "string"},
                    "status": {"type": "string"},
                    "cost": {"type": "number"},
                    "created_at": {"type": "string"},
                    "updated_at": {"type": "string"}
                }
            }},
            "next": {"type": ["string", "null"]}
        }
    }"#,
    what: What::ListJobs,
};

pub(super) async fn list(context: &McpContext, given: &Arguments) -> Result<Value, Failure> {
    let wanted = OutsideList {
        status: given.text("status").and_then(|status| JobStatus::from_word(&status)),
        before: given.text("before").map(RunId::new),
        most: given.count("limit").unwrap_or(DEFAULT),
    };
    let page = context.jobs().list(wanted).await?;
    let lines: Vec<Value> = page.items.iter().map(job_line).collect();
    Ok(json!({ "jobs": lines, "next": page.cursor }))
}
