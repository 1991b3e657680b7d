//! Submitting a job: `POST /api/agents/jobs`.

use serde_json::Value;

use super::{JobState, ProtoPayload, ScribePayload, TracePayload};
use crate::{
    json::{Json, Object},
    wire::{Wire, wire, words},
};

wire! {
    /// A job to do. Its payload is held to the contract of its type.
    pub open struct JobSubmission = "authoring/submit" {
        /// Which agent does it.
        kind as "type": AgentType,
        /// What the agent is given.
        payload: Object<'static>,
        /// Whether fields that the contract does not name are refused.
        requires_strict_validation as "requiresStrictValidation": Option<bool>,
    }
    with serde_json::json!({"allOf": [
        payload_of::<ScribePayload>(AgentType::Scribe),
        payload_of::<TracePayload>(AgentType::Trace),
        payload_of::<ProtoPayload>(AgentType::Proto),
    ]})
}

/// "If the type is this, the payload is that": breaches then point into the payload.
fn payload_of<T: Wire>(agent: AgentType) -> Value {
    serde_json::json!({
        "if": {"properties": {"type": {"const": agent.as_str()}}},
        "then": {"properties": {"payload": Json::Object(T::schema()).to_serde()}}
    })
}

words! {
    /// The three agents.
    pub enum AgentType {
        Scribe = "scribe",
        Trace = "trace",
        Proto = "proto",
    }
}

wire! {
    /// A job that was taken on: `201`.
    pub open struct JobSubmitted = "authoring/submitted" {
        /// The job's id.
        job_id as "jobId": String [minLength: 1],
        /// Its state.
        state: JobState,
    }
}
