//! `job_advise`: helps a supervised job that is stuck.

use consign_app::jobs::{Advice, Change};
use serde_json::Value;

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    job_show::VIEW,
    tool::{Tool, What},
};

pub(super) const TOOL: Tool = Tool {
    name: "job_advise",
    title: "Help a job that is stuck",
    description: "Advises the role of a supervised job that is stuck (INTERVENTION_REQUIRED); what you say goes into its \
        next prompt. This is for a person: an agent is refused with PERSON_REQUIRED.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["job", "text"],
        "properties": {
            "job": {"type": "string", "description": "The job, by its name."},
            "text": {"type": "string", "minLength": 1, "description": "What the role is told."},
            "reset": {"type": "boolean", "description": "Whether the phase begins from its starting workspace."}
        }
    }"#,
    output: VIEW,
    what: What::AdviseJob,
};

pub(super) async fn advise(context: &McpContext, given: &Arguments) -> Result<Value, Failure> {
    let text = given.text("text").unwrap_or_default();
    let advice = Advice { text, reset: given.flag("reset") };
    Ok(context.jobs().change(&given.job(), Change::Advise(advice)).await?.json())
}
