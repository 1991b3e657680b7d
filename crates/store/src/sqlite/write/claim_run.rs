//! Gives one named run to a worker.

use consign_engine::{RunId, WorkerId, store::Refusal};

use super::claim::{Taken, take};
use crate::sqlite::{
    fail::Halt,
    sql::status,
    workers::Workers,
    writer::{Write, WriteContext},
};

pub(crate) struct ClaimRun {
    pub(crate) worker: WorkerId,
    pub(crate) run: RunId,
}

impl Write for ClaimRun {
    type Answer = Taken;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Taken, Halt> {
        let run = context.run(&self.run)?;
        let sql = "SELECT status, worker FROM runs WHERE key = ?1";
        let (status, holder) = context.db.prepare_cached(sql)?.query_row([run.key], |row| {
            Ok((status(row, 0)?, row.get::<_, Option<String>>(1)?.map(WorkerId::from)))
        })?;
        if status.is_closed() {
            return Err(Refusal::Closed.into());
        }
        if let Some(by) = holder
            && !Workers::of(context.home).is_dead(&by)?
        {
            return Err(Refusal::Held { by }.into());
        }
        Ok(take(context, run.key, self.run.clone(), &self.worker, Some(&self.worker))?)
    }
}
