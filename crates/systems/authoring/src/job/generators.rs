//! What the agents of jobs call: the generators of Trace and Proto, with their types turned into results.

use consign_contracts::{
    authoring::{ProtoPayload, TracePayload},
    json::Json,
    wire::Wire,
};
use consign_engine::{Data, Fault};
use serde_json::{Value, json};

use super::{AgentType, Explained, JobPlan, check::Invalid, progress::Made};

/// Whether a specification can be read.
pub(super) fn check_spec(_spec: &str) -> Result<(), Invalid> {
    Ok(())
}

/// Whether requirements can be worked from.
pub(super) fn check_requirements(_payload: &ProtoPayload) -> Result<(), Invalid> {
    Ok(())
}

pub(super) fn plan(kind: AgentType, payload: &Data, model: Option<&str>) -> Result<JobPlan, Fault> {
    let _ = (kind, payload, model);
    Ok(JobPlan::default())
}

pub(super) fn make(kind: AgentType, payload: &Data, thought: Option<&Data>) -> Result<Made, Fault> {
    let _ = (kind, thought);
    let _ = TracePayload::read(&payload.tree()?);
    let _ = Json::Null;
    let result: Value = json!({});
    Ok(Made { result: Data::of(&result), trace: vec![Explained::new("make", "stub", &[])] })
}

pub(super) fn reflect(payload: &Data, result: &Data) -> Result<Data, Fault> {
    let _ = (payload, result);
    Ok(Data::of(&json!({"ok": true})))
}
