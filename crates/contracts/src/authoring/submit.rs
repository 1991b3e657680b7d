//! Submitting a job: `POST /api/agents/jobs`.

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
    with payloads()
}

/// "If the type is this, the payload is that": breaches then point into the payload.
fn payloads() -> Object<'static> {
    let branches = vec![
        payload_of::<ScribePayload>(AgentType::Scribe),
        payload_of::<TracePayload>(AgentType::Trace),
        payload_of::<ProtoPayload>(AgentType::Proto),
    ];
    object([("allOf", Json::Array(branches))])
}

fn payload_of<T: Wire>(agent: AgentType) -> Json<'static> {
    let member = |name, schema| Json::Object(object([(name, Json::Object(schema))]));
    let this_agent = object([("const", Json::from(agent.as_str()))]);
    Json::Object(object([
        // Without `required` a submission that has no type would be held to all three.
        (
            "if",
            Json::Object(object([
                ("required", Json::Array(vec![Json::from("type")])),
                ("properties", member("type", this_agent)),
            ])),
        ),
        ("then", Json::Object(object([("properties", member("payload", T::schema()))]))),
    ]))
}

fn object<const N: usize>(members: [(&'static str, Json<'static>); N]) -> Object<'static> {
    members.into_iter().map(|(key, value)| (key.into(), value)).collect()
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
