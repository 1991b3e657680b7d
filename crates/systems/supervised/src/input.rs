//! What a job is made of: the input of its run, written once.

use std::path::PathBuf;

use consign_engine::{At, Data, Limits, Nanos};
use serde::{Deserialize, Serialize};

use crate::{git::Attached, phase::Phase, state::JobState};

/// What a job may use where nothing is said: 1000 cents and 60 minutes.
const USUAL_COST: Nanos = Nanos::new(10_000_000_000);
const USUAL_MINUTES: f64 = 60.0;

/// What a job may use; nothing is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    pub cost: Option<Nanos>,
    pub minutes: Option<f64>,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { cost: Some(USUAL_COST), minutes: Some(USUAL_MINUTES) }
    }
}

impl Thresholds {
    /// The limits of a run of the job that begins when so much is used.
    #[must_use]
    pub fn limits(&self, spent: Nanos, minutes: f64) -> Limits {
        let active = self.minutes.map(|most| {
            let seconds = (most - minutes).max(0.0) * 60.0;
            std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default()
        });
        Limits { cost: self.cost.map(|most| most.minus(spent)), calls: None, active }
    }
}

/// The input of a job's run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobInput {
    pub job_id: String,
    /// What the job is for. In a sensitive job it is sealed, and so are the tasks of the phases.
    pub description: String,
    /// The job's own folder.
    pub directory: PathBuf,
    pub phases: Vec<Phase>,
    pub thresholds: Thresholds,
    pub require_approval: bool,
    #[serde(default)]
    pub sensitive: bool,
    /// Where roles are looked for besides the job's folder and the home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    /// Where it is in a repository of the user's.
    pub repository: Option<Attached>,
    pub created_at: At,
    /// Where a later run of the same job begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
}

/// The beginning of a run that goes on with a job whose earlier run is closed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Generation {
    pub state: Box<JobState>,
}

impl JobInput {
    #[must_use]
    pub fn data(&self) -> Data {
        Data::of(self)
    }
}
