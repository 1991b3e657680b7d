//! Activating a job and setting its pace. The run itself is driven like any other, by [`Foreground`] or by a worker.

use std::sync::Arc;

use consign_contracts::job::JobStatus;
use consign_engine::{Data, Drive, Engine, RunId, Speaker, Stop};
use consign_invokers::settings::RunSettings;
use consign_supervised::{Stand, role::Roles, state::JobState};
use serde_json::json;
use tokio::sync::watch;

use super::open::OpenJob;
use crate::{
    error::{Error, Refused},
    foreground::Foreground,
    home::Home,
};

/// How a job is activated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activate {
    /// It waits to be run.
    Paused,
    /// Workers go on with it.
    Detached,
}

/// How far a job goes on by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// To the next stop.
    Free,
    /// For one interaction.
    Step,
}

/// Who answers in the place of the roles, and where that is noted. What is not said stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSource {
    pub script: Option<std::path::PathBuf>,
    pub invocations: Option<std::path::PathBuf>,
    pub model: Option<String>,
    pub record: Option<std::path::PathBuf>,
}

/// Activates a job.
pub async fn activate(
    home: &Home,
    job: &OpenJob,
    how: Activate,
    by: &Speaker,
) -> Result<(), Error> {
    if job.state.job.stand != Stand::Draft {
        return Err(not_there(job, "activated").into());
    }
    let unsafe_roles = unsafe_roles(home, &job.state)?;
    let detach = how == Activate::Detached;
    let value = Data::of(&json!({ "detach": detach, "unsafe_roles": unsafe_roles }));
    home.engine.signal(&job.run, "activate", &value, by).await?;
    settle(&home.engine, &job.run).await
}

/// The roles whose attempts must not be repeated without asking. Fails for a role whose file cannot be used.
fn unsafe_roles(home: &Home, state: &JobState) -> Result<Vec<String>, Error> {
    let roles = Roles::new(home.workshop.clone(), &home.folder);
    let mut found = Vec::new();
    let mut turn = state.next_turn();
    for phase in &state.job.phases {
        for name in std::iter::once(&phase.role).chain(&phase.supervisor) {
            turn.role.clone_from(name);
            if roles.find(&turn)?.is_unsafe && !found.contains(name) {
                found.push(name.clone());
            }
        }
    }
    Ok(found)
}

/// Why something cannot be done with a job where it stands.
pub(super) fn not_there(job: &OpenJob, wish: &str) -> Refused {
    let status = job.status();
    let told =
        format!("job {} is {}, and cannot be {wish} there", job.place.job_id, status.as_str());
    let refused = Refused::new("INVALID_STATE", told);
    match status {
        JobStatus::Draft => {
            refused.hint(format!("activate it first: consign job activate {}", job.place.typed))
        }
        JobStatus::InterventionRequired if !matches!(job.state.job.stand, Stand::Stuck(_)) => {
            refused.hint(format!("it asks something else: consign runs answer {}", job.run))
        }
        JobStatus::InterventionRequired => refused
            .hint(format!("a person helps it on: consign job advise {} \"…\"", job.place.typed)),
        JobStatus::HaltedCost | JobStatus::HaltedTime => {
            refused.hint(format!("raise its threshold: consign job raise {}", job.place.typed))
        }
        JobStatus::Pending
        | JobStatus::Running
        | JobStatus::Reviewing
        | JobStatus::Success
        | JobStatus::Canceled => refused,
    }
}

impl OpenJob {
    /// The document's word for where the job stands.
    #[must_use]
    pub fn status(&self) -> JobStatus {
        let label = self.look.label.as_deref().and_then(JobStatus::from_word);
        label.unwrap_or_else(|| self.state.job.status())
    }
}

/// Sets the pace and the agents of a job, and takes its run. Nothing if another process was faster or the run is over.
pub async fn begin_drive(
    home: &Home,
    job: &OpenJob,
    pace: Pace,
    agents: &AgentSource,
    foreground: &Foreground,
    by: &Speaker,
) -> Result<Option<Drive>, Error> {
    if job.look.row.status.is_closed() {
        return match (pace, job.status()) {
            (Pace::Free, JobStatus::Success) => Ok(None),
            _ => Err(not_there(job, "driven").into()),
        };
    }
    if job.state.job.stand == Stand::Draft {
        return Err(not_there(job, "driven").into());
    }
    answer_by(home, job, agents, by).await?;
    let allowance = match pace {
        Pace::Free => None,
        Pace::Step => Some(1_u64),
    };
    if job.state.job.allowance != allowance {
        let value = Data::of(&json!({ "interactions": allowance }));
        home.engine.signal(&job.run, "pace", &value, by).await?;
    }
    foreground.take_if_free(&job.run).await
}

/// Lets a job wait until it is driven again.
pub async fn pause(home: &Home, job: &OpenJob, by: &Speaker) -> Result<(), Error> {
    if job.look.row.status.is_closed() || job.state.job.allowance == Some(0) {
        return Ok(());
    }
    home.engine.signal(&job.run, "pace", &Data::of(&json!({ "interactions": 0 })), by).await?;
    settle(&home.engine, &job.run).await
}

/// Sets who answers in the place of the roles. The same script goes on where it was; another one begins with the next
/// attempt.
async fn answer_by(
    home: &Home,
    job: &OpenJob,
    agents: &AgentSource,
    by: &Speaker,
) -> Result<(), Error> {
    if *agents == AgentSource::default() {
        return Ok(());
    }
    if job.state.sensitive && (agents.invocations.is_some() || agents.record.is_some()) {
        let told = "what a sensitive job says is not written to a file";
        return Err(Refused::usage("INVALID_STATE", told).into());
    }
    let before: RunSettings =
        job.state.agents.as_ref().and_then(|agents| agents.to().ok()).unwrap_or_default();
    let mut now = before.clone();
    if let Some(script) = &agents.script
        && before.script.as_ref() != Some(script)
    {
        now.script = Some(script.clone());
        now.script_from = job.look.usage.calls;
    }
    if agents.model.is_some() {
        now.model.clone_from(&agents.model);
        now.script = agents.script.clone();
    }
    now.invocations = agents.invocations.clone().or(now.invocations);
    now.record = agents.record.clone().or(now.record);
    if now != before {
        home.engine.signal(&job.run, "agents", &Data::of(&now), by).await?;
    }
    Ok(())
}

/// Writes down what follows from a signal or an answer, and begins nothing: the next process that takes the run does.
pub async fn settle(engine: &Arc<Engine>, run: &RunId) -> Result<(), Error> {
    let foreground = Foreground::new(engine).await?;
    if let Some(drive) = foreground.take_if_free(run).await? {
        let (_drain, stop) = watch::channel(Stop::Drain);
        foreground.let_go(drive, &stop).await?;
    }
    Ok(())
}
