//! A run that was claimed and could not be loaded is nobody's again.

use consign_engine::{RunId, Status, WorkerId};
use rusqlite::params;

use crate::sqlite::{
    fail::Halt,
    writer::{Desk, Write},
};

pub(crate) struct PutBack {
    pub(crate) worker: WorkerId,
    pub(crate) run: RunId,
    /// Queued, to be tried again; or waiting, to be in nobody's way.
    pub(crate) status: Status,
}

impl Write for PutBack {
    type Answer = ();

    fn write(&self, desk: &mut Desk<'_>) -> Result<(), Halt> {
        let sql = "UPDATE runs SET status = ?3, worker = NULL, wake_at = NULL, poked = 0 \
                   WHERE id = ?1 AND worker = ?2";
        let run = params![self.run.as_str(), self.worker.as_str(), self.status.as_str()];
        desk.db.prepare_cached(sql)?.execute(run)?;
        Ok(())
    }
}
