//! What comes next for a run, so that each surface can say it in its own words.

use consign_engine::{Placement, Status, WorkerId, store::Row};

use crate::{home::Home, view::needs_resume};

/// What comes next for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing: it is over.
    Over,
    /// Its home is elsewhere; this command goes on with it there.
    Elsewhere(String),
    /// A worker has it.
    HeldBy(WorkerId),
    /// It waits for an answer, a limit or an instant.
    Waits,
    /// It is ready and belongs to the command line: it stands still until it is resumed there.
    NeedsResume,
    /// It is ready, and the next free worker takes it.
    Queued,
}

/// What comes next for a run as it is now.
pub async fn next(home: &Home, row: &Row) -> Result<Next, consign_engine::Error> {
    if row.status.is_closed() {
        return Ok(Next::Over);
    }
    if let Some(command) = home.engine.goes_on_with(row).await? {
        return Ok(Next::Elsewhere(command));
    }
    if let Some(worker) = &row.worker {
        return Ok(Next::HeldBy(worker.clone()));
    }
    if needs_resume(row, home.engine.now()) {
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

/// Whether a run was started in the foreground: workers leave it to the command line.
#[must_use]
pub fn is_foreground(row: &Row) -> bool {
    row.placement == Placement::Foreground
}
