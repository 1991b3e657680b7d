//! `job_history`: a page of the interactions of a supervised job.

use consign_app::jobs::HistoryPage;
use serde_json::{Value, json};

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};

pub(super) const TOOL: Tool = Tool {
    name: "job_history",
    title: "What was said in a job",
    description: "Gives the interactions of a supervised job, oldest first: each with its request, the role's answer \
        and where it led. A page has at most 100, and fewer where they are large. If there is a `next`, give it back as \
        `from` for the next page.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["job"],
        "properties": {
            "job": {"type": "string", "description": "The job, by its name."},
            "from": {"type": "integer", "minimum": 0, "description": "The first interaction, by its sequence."},
            "to": {"type": "integer", "minimum": 0, "description": "The last one."}
        }
    }"#,
    output: r#"{
        "type": "object",
        "required": ["interactions", "next"],
        "properties": {
            "interactions": {"type": "array", "items": {"type": "object"}},
            "next": {"type": ["integer", "null"]}
        }
    }"#,
    what: What::JobHistory,
};

pub(super) async fn history(context: &McpContext, given: &Arguments) -> Result<Value, Failure> {
    let number = |name: &str| given.count(name).map(|number| number as u64);
    let wanted = HistoryPage { from: number("from"), to: number("to") };
    let read = context.jobs().history(&given.job(), wanted).await?;
    Ok(json!({ "interactions": read.interactions, "next": read.next }))
}
