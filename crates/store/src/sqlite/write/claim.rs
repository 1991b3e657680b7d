//! Gives runs that can continue to a worker, and remembers whose turn it was.

use consign_engine::{At, Epoch, RunId, WorkerId, store::Wanted};
use rusqlite::params;

use crate::sqlite::{
    fail::Halt,
    read::ready,
    sql::count,
    workers::Workers,
    writer::{Write, WriteContext},
};

pub(crate) struct Claim {
    pub(crate) worker: WorkerId,
    pub(crate) wanted: Wanted,
    pub(crate) most: usize,
    pub(crate) now: At,
}

/// A run that was given to a worker.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) run: RunId,
    pub(crate) epoch: Epoch,
}

impl Write for Claim {
    type Answer = Vec<Taken>;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Vec<Taken>, Halt> {
        let mut taken = Vec::new();
        // A foreground run belongs to its command while that lives.
        let workers = Workers::of(context.home);
        let is_gone = |keeper: &WorkerId| Ok(workers.is_dead(keeper)?);
        let ready = ready(context.db, &self.wanted, self.most, self.now, is_gone)?;
        let served = ready.last().map(|run| run.owner.clone());
        for run in ready {
            taken.push(take(context, run.key, run.id, &self.worker, None)?);
        }
        if let Some(owner) = served {
            // Nothing is written for an owner who is served again.
            let sql = "INSERT INTO served (one, owner) VALUES (1, ?1) \
                       ON CONFLICT DO UPDATE SET owner = ?1 WHERE owner <> ?1";
            context.db.prepare_cached(sql)?.execute([owner.as_str()])?;
        }
        Ok(taken)
    }
}

/// Gives a run to a worker, in a new epoch. `keeper` is the worker of the command that asked for it by name.
pub(super) fn take(
    context: &WriteContext<'_>,
    key: i64,
    run: RunId,
    worker: &WorkerId,
    keeper: Option<&WorkerId>,
) -> rusqlite::Result<Taken> {
    let sql = "UPDATE runs SET status = 'running', worker = ?2, epoch = epoch + 1, \
               wake_at = NULL, poked = 0, interrupted = 0, keeper = ?3 WHERE key = ?1 RETURNING epoch";
    let epoch = |row: &rusqlite::Row<'_>| count(row, 0).map(Epoch);
    let values = params![key, worker.as_str(), keeper.map(WorkerId::as_str)];
    let epoch = context.db.prepare_cached(sql)?.query_row(values, epoch)?;
    Ok(Taken { run, epoch })
}
