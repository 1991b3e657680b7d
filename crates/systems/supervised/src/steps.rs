//! The steps of a job that touch its workspace, as they stand in the journal: what each is given and gives.

use std::path::PathBuf;

use consign_engine::Data;
use serde::{Deserialize, Serialize};

use crate::{
    git::Attached,
    turn::{CheckResult, Turn},
    workspace::TreeId,
};

pub const CLAIM: &str = "workspace/claim";
pub const CHECK: &str = "workspace/check";
pub const ACCEPT: &str = "workspace/accept";
pub const JUDGE: &str = "workspace/judge";

/// Takes the workspace as it is, or lays an earlier one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claim {
    pub directory: PathBuf,
    pub lay: Option<TreeId>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claimed {
    pub tree: TreeId,
}

/// Runs the check of a phase.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Check {
    pub directory: PathBuf,
    pub command: Vec<String>,
    pub base: Option<TreeId>,
    /// The name of a sensitive job, whose output is sealed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checked {
    pub result: CheckResult,
    pub tree: TreeId,
}

/// Makes the recovery point of a phase.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Accept {
    pub directory: PathBuf,
    pub job_id: String,
    pub point: String,
    pub phase: String,
    pub start: Option<TreeId>,
    pub repository: Option<Attached>,
    /// The interaction that accepted the phase.
    pub sequence: u64,
    pub resume_phase: Option<String>,
    pub evidence_count: usize,
    pub test_pass_rate: Option<String>,
    /// What the worker said, for the commit.
    pub message: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Accepted {
    pub tree: TreeId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The files that the phase changed.
    pub changed: Vec<String>,
}

/// Judges an answer that came over the bridge.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Judge {
    pub turn: Turn,
    pub answer: Data,
}
