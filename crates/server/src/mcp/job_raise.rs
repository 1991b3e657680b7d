//! `job_raise`: raises the thresholds of a supervised job.

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
    name: "job_raise",
    title: "Raise the thresholds of a job",
    description: "Raises what a supervised job may cost or how long it may work; each value is the whole new threshold, \
        only upwards, and 0 lifts it. A job that was halted by it goes on. This is for a person: an agent is refused \
        with PERSON_REQUIRED.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["job"],
        "minProperties": 2,
        "properties": {
            "job": {"type": "string", "description": "The job, by its name."},
            "cost_threshold": {"type": "number", "minimum": 0, "description": "In cents."},
            "time_threshold_minutes": {"type": "number", "minimum": 0, "maximum": 10000000}
        }
    }"#,
    output: VIEW,
    what: What::RaiseJob,
};

pub(super) async fn raise(context: &McpContext, given: &Arguments) -> Result<Value, Failure> {
    Ok(context.jobs().change(&given.job(), Change::Raise(given.thresholds())).await?.json())
}
