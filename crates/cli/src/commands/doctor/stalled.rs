//! Runs that stand still until the user does something, and the commands for that.

use consign_contracts::json::{Json, Object};
use consign_engine::{At, Placement, RunId, Status, store::Row};
use consign_files::Holder;

use super::workers::Worker;
use crate::{
    error::Error,
    output::{Output, WARN, object, printable, styled},
    text::count,
};

/// How many runs are named; the others are only counted.
const NAMED: usize = 5;

#[derive(Default)]
pub(super) struct Stalled {
    /// Only a command continues them: their own was interrupted, or they were started with `--here-only`.
    for_commands: Vec<RunId>,
    /// Any worker would take them.
    for_workers: u64,
}

impl Stalled {
    pub(super) fn take(&mut self, row: &Row, now: At) {
        let due = match row.status {
            Status::Queued => true,
            Status::Waiting => row.wake_at.is_some_and(|at| at <= now),
            Status::Running | Status::Succeeded | Status::Failed | Status::Cancelled => false,
        };
        if !due || row.worker.is_some() {
        } else if row.interrupted || row.placement == Placement::HereOnly {
            self.for_commands.push(row.id.clone());
        } else {
            self.for_workers += 1;
        }
    }

    /// What is ready is taken by a living worker in a moment.
    pub(super) fn judge(&mut self, workers: &[Worker]) {
        if workers.iter().any(|worker| matches!(worker.process, Holder::Alive(_))) {
            self.for_workers = 0;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.for_commands.is_empty() && self.for_workers == 0
    }

    pub(super) fn describe(&self, output: &mut Output) -> Result<(), Error> {
        for run in self.for_commands.iter().take(NAMED) {
            let run = printable(run.as_str());
            let told = styled(WARN, format!("run {run} stands still"));
            output
                .line(format!("stalled    {told}: continue it with: consign runs resume {run}"))?;
        }
        if let Some(more) = self.for_commands.len().checked_sub(NAMED).filter(|more| *more > 0) {
            let more = count(more as u64, "more run");
            output.line(format!("           {more}: `consign runs list` names them"))?;
        }
        if self.for_workers > 0 {
            let runs = styled(WARN, format!("{} ready", count(self.for_workers, "run")));
            output.line(format!(
                "stalled    {runs}, and no worker is alive: start `consign worker`"
            ))?;
        }
        Ok(())
    }

    /// `{"resume": [RUN], "for_workers": 0}`
    pub(super) fn object(&self) -> Object<'static> {
        let runs = self.for_commands.iter().map(|run| Json::String(run.to_string().into()));
        object([
            ("resume", Json::Array(runs.collect())),
            ("for_workers", Json::Number(self.for_workers.into())),
        ])
    }
}
