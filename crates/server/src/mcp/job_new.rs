//! `job_new`: makes a supervised job, which waits to be activated.

use consign_app::jobs::{OutsideJob, OutsidePhase, OutsideSupervisor};
use serde_json::Value;

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    job_show::VIEW,
    tool::{Tool, What},
};

pub(super) const TOOL: Tool = Tool {
    name: "job_new",
    title: "Make a job",
    description: "Makes a supervised job with a directory of its own: in each phase a worker agent does the task and a \
        supervisor agent reviews it. Nothing is run until job_activate. The job halts when it reaches a threshold, and \
        raising one later is for a person.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "objective"],
        "properties": {
            "name": {"type": "string", "minLength": 1, "description": "Its name, and that of its directory: up to 44 letters, digits, -, _ and dots."},
            "objective": {"type": "string", "minLength": 1, "description": "What it is for."},
            "phases": {
                "type": "array",
                "minItems": 1,
                "maxItems": 1000,
                "description": "What is to be done, in order; one phase named main if it is left out.",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["name", "task"],
                    "properties": {
                        "name": {"type": "string", "description": "No other phase of the job has it."},
                        "task": {"type": "string", "description": "What is to be done."},
                        "role": {"type": "string", "description": "Who does it; Worker if it is left out."},
                        "supervisor": {"type": ["string", "boolean"], "not": {"const": true}, "description": "Who reviews it, Supervisor if it is left out; false is none."},
                        "context": {"type": "array", "maxItems": 1000, "items": {"type": "string"}, "description": "Files of the workspace that both roles are given."}
                    }
                }
            },
            "cost_threshold": {"type": "number", "minimum": 0, "description": "What it may cost, in cents; 1000 if it is left out, and 0 is no threshold."},
            "time_threshold_minutes": {"type": "number", "minimum": 0, "maximum": 10000000, "description": "How long it may work; 60 if it is left out, and 0 is no threshold."},
            "require_approval": {"type": "boolean", "description": "Whether a person has to approve its end."},
            "sensitive": {"type": "boolean", "description": "Whether its texts are sealed."}
        }
    }"#,
    output: VIEW,
    what: What::NewJob,
};

pub(super) async fn new(context: &McpContext, given: &Arguments) -> Result<Value, Failure> {
    let phases: Vec<Value> = given.data("phases").to().unwrap_or_default();
    let wanted = OutsideJob {
        name: given.text("name").unwrap_or_default(),
        objective: given.text("objective").unwrap_or_default(),
        phases: phases.iter().map(phase).collect(),
        thresholds: given.thresholds(),
        require_approval: given.flag("require_approval"),
        sensitive: given.flag("sensitive"),
    };
    Ok(context.jobs().create(wanted).await?.json())
}

/// A phase. The schema has been checked.
fn phase(given: &Value) -> OutsidePhase {
    let text = |name: &str| given[name].as_str().map(str::to_owned);
    let files = given["context"].as_array().into_iter().flatten();
    OutsidePhase {
        name: text("name").unwrap_or_default(),
        task: text("task").unwrap_or_default(),
        role: text("role"),
        supervisor: match &given["supervisor"] {
            Value::String(name) => OutsideSupervisor::Named(name.clone()),
            Value::Bool(_) => OutsideSupervisor::Nobody,
            Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                OutsideSupervisor::Usual
            }
        },
        context: files.filter_map(|file| file.as_str().map(str::to_owned)).collect(),
    }
}
