//! `job_approve` and `job_reject`: what a person says to the end of a supervised job.

use consign_app::jobs::Change;
use serde_json::Value;

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    job_show::VIEW,
    tool::{Tool, What},
};

pub(super) const APPROVE: Tool = Tool {
    name: "job_approve",
    title: "Approve the end of a job",
    description: "Approves the end of a supervised job that waits for it (REVIEWING). This is for a person: an agent is \
        refused with PERSON_REQUIRED.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["job"],
        "properties": {
            "job": {"type": "string", "description": "The job, by its name."}
        }
    }"#,
    output: VIEW,
    what: What::ApproveJob,
};

pub(super) const REJECT: Tool = Tool {
    name: "job_reject",
    title: "Send a job back",
    description: "Sends the last phase of a supervised job that waits for approval back, with the reason, which the roles \
        are told. This is for a person: an agent is refused with PERSON_REQUIRED.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["job", "why"],
        "properties": {
            "job": {"type": "string", "description": "The job, by its name."},
            "why": {"type": "string", "minLength": 1, "description": "The reason."}
        }
    }"#,
    output: VIEW,
    what: What::RejectJob,
};

pub(super) async fn approve(context: &McpContext, given: &Arguments) -> Result<Value, Failure> {
    Ok(context.jobs().change(&given.job(), Change::Approve).await?.json())
}

pub(super) async fn reject(context: &McpContext, given: &Arguments) -> Result<Value, Failure> {
    let why = given.text("why").unwrap_or_default();
    Ok(context.jobs().change(&given.job(), Change::Reject(why)).await?.json())
}
