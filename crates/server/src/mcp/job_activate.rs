//! `job_activate`: lets a supervised job begin.

use consign_app::jobs::{Activate, Change};
use serde_json::Value;

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    job_show::VIEW,
    tool::{Tool, What},
};

pub(super) const TOOL: Tool = Tool {
    name: "job_activate",
    title: "Let a job begin",
    description: "Lets a supervised job begin, which is then PENDING; workers go on with it. With `detach` false it \
        waits instead, until a person runs it.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["job"],
        "properties": {
            "job": {"type": "string", "description": "The job, by its name."},
            "detach": {"type": "boolean", "description": "Whether workers go on with it at once; true if it is left out."}
        }
    }"#,
    output: VIEW,
    what: What::ActivateJob,
};

pub(super) async fn activate(context: &McpContext, given: &Arguments) -> Result<Value, Failure> {
    let waits = given.is_false("detach");
    let how = if waits { Activate::Paused } else { Activate::Detached };
    Ok(context.jobs().change(&given.job(), Change::Activate(how)).await?.json())
}
