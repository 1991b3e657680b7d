//! Releases runs that were claimed and could not be loaded.

use consign_engine::{Status, WorkerId};
use rusqlite::params;

use super::Taken;
use crate::sqlite::{
    fail::Halt,
    sql::int,
    writer::{Write, WriteContext},
};

#[derive(Clone, Debug)]
pub(crate) struct PutBack {
    pub(crate) worker: WorkerId,
    pub(crate) taken: Taken,
    /// Queued, to be tried again; or waiting, so that a damaged run is not claimed again.
    pub(crate) status: Status,
}

impl Write for Vec<PutBack> {
    type Answer = ();

    fn write(&self, context: &mut WriteContext<'_>) -> Result<(), Halt> {
        let sql = "UPDATE runs SET status = ?4, worker = NULL, wake_at = NULL, poked = 0 \
                   WHERE id = ?1 AND worker = ?2 AND epoch = ?3";
        for PutBack { worker, taken, status } in self {
            let (run, epoch) = (taken.run.as_str(), int(taken.epoch.0));
            let values = params![run, worker.as_str(), epoch, status.as_str()];
            context.db.prepare_cached(sql)?.execute(values)?;
        }
        Ok(())
    }
}
