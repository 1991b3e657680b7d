//! Cancelling a job.

use std::time::Duration;

use consign_authoring::job::JobState;
use consign_engine::{Owner, RunId, Speaker, Stop};
use tokio::sync::watch;

use super::{find, standing, view::CANCELLED};
use crate::{
    Home,
    error::{Error, Refused},
    foreground::Unobserved,
    runs,
};

/// How long a job that is to end is waited for: its calls have ten seconds to stop.
const PATIENCE: Duration = Duration::from_secs(11);

/// A job that was cancelled: contract `authoring/cancelled`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancelled {
    pub id: String,
    /// `failed`.
    pub state: JobState,
    pub message: &'static str,
}

/// Cancels a job that is not over: stops its work and waits for it, at most eleven seconds. Once the wish is written
/// down the job reads as `failed` with `JOB_CANCELLED`, whether or not its calls have stopped.
pub async fn cancel(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    id: &str,
) -> Result<Cancelled, Error> {
    let row = find(home, owner, id).await?;
    let newest = standing::newest(home, &row).await?;
    let state = standing::state(&row, newest.as_ref());
    if matches!(state, JobState::Completed | JobState::Failed) {
        let told = format!("the job is over: its state is {state}");
        return Err(Refused::new("INVALID_STATE", told).into());
    }
    home.engine.cancel(&row.id, Some(CANCELLED.to_owned()), speaker).await?;
    settle(home, &row.id).await;
    Ok(Cancelled { id: row.id.to_string(), state: JobState::Failed, message: CANCELLED })
}

/// Waits until a run that is to end has ended, and ends it here if no process has it. What fails here is done by the
/// next worker: the wish is in the journal.
pub(super) async fn settle(home: &Home, run: &RunId) {
    let (engine, run) = (home.engine.clone(), run.clone());
    // In a task, so that it ends even if the caller is no longer there.
    let closing = tokio::spawn(async move {
        let (_go_on, stop) = watch::channel(Stop::GoOn);
        runs::close(&engine, &run, PATIENCE, &stop, &mut Unobserved, |_| {}).await
    });
    if let Ok(Err(cause)) = closing.await {
        tracing::warn!(%cause, "a job that is to end was left to the workers");
    }
}
