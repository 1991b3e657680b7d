//! What happens next to a run, and which command makes it go on. Each surface says it in its own words.

use consign_engine::{Engine, Placement, RunId, Status, WorkerId, store::Row};

use crate::view::needs_resume;

/// What comes next for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing: it is over.
    Over,
    /// It is kept outside of the store; this command continues it there.
    External(String),
    /// A worker has it.
    HeldBy(WorkerId),
    /// It waits for an answer, a limit or an instant.
    Waits,
    /// It is ready and no worker takes it: it stands still until a command resumes it.
    NeedsResume,
    /// It is ready, and the next free worker takes it.
    Queued,
}

impl Next {
    /// The command that goes on with a run which nothing else goes on with.
    #[must_use]
    pub fn command(&self, run: &RunId) -> Option<String> {
        match self {
            Self::External(command) => Some(command.clone()),
            Self::NeedsResume => Some(format!("consign runs resume {run}")),
            Self::Over | Self::HeldBy(_) | Self::Waits | Self::Queued => None,
        }
    }

    /// In a sentence, for programs that show it to people.
    #[must_use]
    pub fn hint(&self, run: &RunId) -> String {
        match self {
            Self::Over => "the run is over".to_owned(),
            Self::External(command) => {
                format!("the answer is in the project; continue with: {command}")
            }
            Self::NeedsResume => format!("continue it with: consign runs resume {run}"),
            Self::HeldBy(_) | Self::Waits | Self::Queued => "a worker continues it".to_owned(),
        }
    }
}

/// What comes next for a run as it is now.
pub async fn next(engine: &Engine, row: &Row) -> Result<Next, consign_engine::Error> {
    if row.status.is_closed() {
        return Ok(Next::Over);
    }
    if let Some(command) = engine.goes_on_with(row).await? {
        return Ok(Next::External(command));
    }
    if let Some(worker) = &row.worker {
        return Ok(Next::HeldBy(worker.clone()));
    }
    if needs_resume(engine, row) {
        return Ok(Next::NeedsResume);
    }
    Ok(match row.status {
        Status::Waiting => Next::Waits,
        Status::Queued
        | Status::Running
        | Status::Succeeded
        | Status::Failed
        | Status::Cancelled => Next::Queued,
    })
}

/// Whether a run was started in the foreground.
#[must_use]
pub fn is_foreground(row: &Row) -> bool {
    matches!(row.placement, Placement::Foreground | Placement::HereOnly)
}
