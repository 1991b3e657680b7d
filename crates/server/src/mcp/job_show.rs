//! `job_show`: how a supervised job stands.

use serde_json::Value;

use super::{
    McpContext,
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};

pub(super) const TOOL: Tool = Tool {
    name: "job_show",
    title: "One job, whole",
    description: "Gives how a supervised job stands: its status, its phase, the role that acts next, what it has used \
        of its thresholds, its recovery points, what the roles said last, and what a person is asked.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["job"],
        "properties": {
            "job": {"type": "string", "description": "The job, by its name."}
        }
    }"#,
    output: VIEW,
    what: What::ShowJob,
};

/// A job as it is now.
pub(super) const VIEW: &str = r#"{
    "type": "object",
    "required": ["job_id", "status", "run", "phase", "role", "metrics", "recovery_points", "question"],
    "properties": {
        "job_id": {"type": "string"},
        "status": {"type": "string", "enum": ["DRAFT", "PENDING", "RUNNING", "REVIEWING", "SUCCESS", "CANCELED", "INTERVENTION_REQUIRED", "HALTED_COST", "HALTED_TIME"]},
        "description": {"type": "string"},
        "directory": {"type": "string"},
        "run": {"type": "string"},
        "phase": {"type": "object"},
        "role": {"type": "string", "description": "The one that acts next."},
        "metrics": {"type": "object", "description": "What it has used. Costs are in cents."},
        "cost_threshold": {"type": "number", "description": "In cents; 0 is none."},
        "time_threshold_minutes": {"type": "number", "description": "0 is none."},
        "require_approval": {"type": "boolean"},
        "sensitive": {"type": "boolean"},
        "recovery_points": {"type": "array", "items": {"type": "string"}},
        "last_words": {"type": "array", "items": {"type": "object"}},
        "question": {"type": ["object", "null"], "description": "What a person is asked."},
        "diverged": {"type": ["string", "null"], "description": "Why its manifest is not ours: it was edited by hand."},
        "repaired": {"type": ["string", "null"]}
    }
}"#;

pub(super) async fn show(context: &McpContext, given: &Arguments) -> Result<Value, Failure> {
    Ok(context.jobs().show(&given.job()).await?.json())
}
