//! `job_manifest.json`: how a job stands, for people, with what is needed to tell whether it was edited.
//!
//! The digest is over the JSON and not over the bytes: an editor that lays it out anew changes nothing.

use consign_contracts::job::JobStatus;
use consign_engine::{Nanos, RunId, Seq};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::{
    amount::{cents, number},
    state::JobState,
};

/// The version of the form.
pub const VERSION: &str = "1.0";
/// The manifest's own history has the last so many.
const MOST_HISTORY: usize = 100;

/// Where the manifest was written from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub run: RunId,
    /// The newest event that it shows.
    pub seq: Seq,
    /// Everything up to this event is in the history and the audit log.
    pub recorded: Seq,
    /// What the history and the audit log looked like then.
    pub history: FileStamp,
    pub audit: FileStamp,
    #[serde(default)]
    pub digest: String,
}

/// What a file looked like: a cheap way to see that it was touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    pub bytes: u64,
    /// In nanoseconds.
    pub modified: i128,
}

/// What a run has used, over all runs of the job.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    pub spent: Nanos,
    pub seconds: f64,
}

/// The manifest of a job. `history` has the newest entry last.
#[must_use]
pub fn write(
    state: &JobState,
    status: JobStatus,
    used: Used,
    history: &[Value],
    origin: &Origin,
) -> Value {
    let job = &state.job;
    let phase = match status {
        JobStatus::Draft | JobStatus::Success => Value::Null,
        JobStatus::Pending
        | JobStatus::Running
        | JobStatus::Reviewing
        | JobStatus::Canceled
        | JobStatus::InterventionRequired
        | JobStatus::HaltedCost
        | JobStatus::HaltedTime => job.phase().name.clone().into(),
    };
    let newest = &history[history.len().saturating_sub(MOST_HISTORY)..];
    let cost = state.thresholds.cost.map_or_else(|| "0".to_owned(), cents);
    let mut manifest = json!({
        "version": VERSION,
        "job_id": state.job_id,
        "description": state.description,
        "status": status.as_str(),
        "current_phase": phase,
        "phases": job.phases,
        "cost_threshold": number(&cost),
        "time_threshold_minutes": number(&state.thresholds.minutes.unwrap_or(0.0).to_string()),
        "require_approval": job.require_approval,
        "sensitive": state.sensitive,
        "metrics": {
            "cumulative_cost": number(&cents(used.spent)),
            "cumulative_time_seconds": number(&((used.seconds * 1000.0).round() / 1000.0).to_string()),
            "assumed_cost": number(&cents(used.spent.minus(state.recorded))),
            "interactions": job.interactions,
        },
        "history": newest,
        "consign": origin,
    });
    manifest["consign"]["digest"] = digest(&manifest).into();
    manifest
}

/// A manifest that was read from disk.
#[derive(Clone, Debug)]
pub enum Found {
    /// As we wrote it.
    Ours(Origin, Value),
    /// Not there, or not readable: it is written anew.
    Missing,
    /// Edited by hand, and why that is thought.
    Edited(Value, String),
    /// Written by a newer program.
    TooNew(String),
}

/// Reads a manifest.
#[must_use]
pub fn read(bytes: &[u8]) -> Found {
    let Ok(manifest) = serde_json::from_slice::<Value>(bytes) else { return Found::Missing };
    let version = manifest["version"].as_str().unwrap_or_default();
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_some_and(|major| major > 1) {
        return Found::TooNew(version.to_owned());
    }
    let Ok(origin) = serde_json::from_value::<Origin>(manifest["consign"].clone()) else {
        return Found::Edited(manifest, "it has no `consign` part of ours".to_owned());
    };
    if origin.digest != digest(&manifest) {
        return Found::Edited(manifest, "its digest does not fit".to_owned());
    }
    Found::Ours(origin, manifest)
}

/// The digest of a manifest, without that member itself.
#[must_use]
pub fn digest(manifest: &Value) -> String {
    let mut plain = sorted(manifest);
    if let Some(consign) = plain.get_mut("consign").and_then(Value::as_object_mut) {
        consign.remove("digest");
    }
    format!("sha256:{}", hex::encode(Sha256::digest(plain.to_string().as_bytes())))
}

/// A value with the members of its objects in the order of their names.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut names: Vec<_> = members.iter().collect();
            names.sort_by_key(|(name, _)| *name);
            let members: Map<String, Value> =
                names.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
            Value::Object(members)
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
