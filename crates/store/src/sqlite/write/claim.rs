//! A worker takes runs that can go on.

use consign_engine::{At, RunId, WorkerId, store::Wanted};
use rusqlite::params;

use crate::sqlite::{
    fail::Halt,
    read::ready,
    writer::{Desk, Write},
};

pub(crate) struct Claim {
    pub(crate) worker: WorkerId,
    pub(crate) wanted: Wanted,
    pub(crate) most: usize,
    pub(crate) now: At,
}

impl Write for Claim {
    type Answer = Vec<RunId>;

    fn write(&self, desk: &mut Desk<'_>) -> Result<Vec<RunId>, Halt> {
        let ready = ready(desk.db, &self.wanted, self.most, self.now)?;
        for run in &ready {
            take(desk, run.key, &self.worker)?;
        }
        Ok(ready.into_iter().map(|run| run.id).collect())
    }
}

/// Gives a run to a worker, in a new epoch.
pub(super) fn take(desk: &Desk<'_>, run: i64, worker: &WorkerId) -> rusqlite::Result<()> {
    let sql = "UPDATE runs SET status = 'running', worker = ?2, epoch = epoch + 1, \
               wake_at = NULL, poked = 0 WHERE key = ?1";
    desk.db.prepare_cached(sql)?.execute(params![run, worker.as_str()])?;
    Ok(())
}
