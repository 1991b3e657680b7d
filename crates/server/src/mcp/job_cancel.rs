//! `job_cancel`: ends a supervised job.

use consign_app::jobs::Change;
use serde_json::Value;

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    job_show::VIEW,
    tool::{Tool, What},
};

pub(super) const TOOL: Tool = Tool {
    name: "job_cancel",
    title: "Cancel a job",
    description: "Ends a supervised job, wherever it stands: at once, or when the worker that has it gets to it (`status` \
        says which). Cancel only jobs that you made, or that the person you work for told you to.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["job"],
        "properties": {
            "job": {"type": "string", "description": "The job, by its name."}
        }
    }"#,
    output: VIEW,
    what: What::CancelJob,
};

pub(super) async fn cancel(context: &McpContext, given: &Arguments) -> Result<Value, Failure> {
    Ok(context.jobs().change(&given.job(), Change::Cancel).await?.json())
}
