//! Sets what an owner may spend over all runs, and queues the runs that waited for it.

use consign_engine::{Nanos, Owner};
use rusqlite::params;

use crate::sqlite::{
    fail::Halt,
    sql::int,
    writer::{Write, WriteContext},
};

pub(crate) struct SetCap {
    pub(crate) owner: Owner,
    pub(crate) cap: Option<Nanos>,
}

impl Write for SetCap {
    type Answer = ();

    fn write(&self, context: &mut WriteContext<'_>) -> Result<(), Halt> {
        context.ensure_account(&self.owner)?;
        let owner = self.owner.as_str();
        let cap = self.cap.map(|cap| int(cap.get()));
        let sql = "UPDATE owners SET cap = ?1 WHERE name = ?2";
        context.db.prepare_cached(sql)?.execute(params![cap, owner])?;
        let sql = "UPDATE runs SET status = 'queued', wake_at = NULL \
                   WHERE owner = ?1 AND status = 'waiting' AND key IN \
                   (SELECT run FROM interactions WHERE state = 'open' AND kind = 'limit')";
        if context.db.prepare_cached(sql)?.execute([owner])? > 0 {
            context.wake_workers();
        }
        Ok(())
    }
}
