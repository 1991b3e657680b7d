//! Appends an event from outside, such as an answer or a cancellation, past the holder of the run.

use std::sync::Arc;

use consign_engine::{
    Seq,
    store::{Delivery, Refusal},
};
use rusqlite::params;

use super::{WriteOutcome, inbox, step};
use crate::sqlite::{
    fail::Halt,
    large::Names,
    sql::{count, int, status},
    writer::{Write, WriteContext},
};

pub(crate) struct Deliver {
    pub(crate) delivery: Arc<Delivery>,
    pub(crate) names: Names,
}

impl Write for Deliver {
    type Answer = WriteOutcome;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<WriteOutcome, Halt> {
        let Delivery { run: id, seen, record, answers, cap } = &*self.delivery;
        let run = context.run(id)?;
        let sql = "SELECT status, worker IS NOT NULL, seq FROM runs WHERE key = ?1";
        let (status, held, newest) =
            context.db.prepare_cached(sql)?.query_row([run.key], |row| {
                Ok((status(row, 0)?, row.get::<_, bool>(1)?, Seq(count(row, 2)?)))
            })?;
        if status.is_closed() {
            return Err(Refusal::Closed.into());
        }
        if newest != *seen {
            return Err(Refusal::Moved { newest }.into());
        }
        if let Some(key) = answers
            && !inbox::is_open(context.db, run.key, key)?
        {
            return Err(Refusal::NotOpen.into());
        }
        step::check_chain(Some(*seen), std::slice::from_ref(record))?;
        if !self.names.are_there(context.home) {
            return Ok(WriteOutcome::FileGone);
        }

        step::insert_records(context.db, run.key, std::slice::from_ref(record), &self.names)?;
        if let Some(key) = answers {
            inbox::answer(context.db, run.key, key, record)?;
        }
        let sql = if held { POKE } else { QUEUE };
        context.db.prepare_cached(sql)?.execute(params![
            run.key,
            int(record.seq.0),
            &record.hash.0[..],
            record.at.0,
            cap.map(|cap| int(cap.get())),
        ])?;
        context.wake_workers();
        Ok(WriteOutcome::Done)
    }
}

const POKE: &str = "UPDATE runs SET seq = ?2, head = ?3, at = ?4, cap = coalesce(?5, cap), \
    poked = 1 WHERE key = ?1";
const QUEUE: &str = "UPDATE runs SET seq = ?2, head = ?3, at = ?4, cap = coalesce(?5, cap), \
    status = 'queued', wake_at = NULL, interrupted = 0 WHERE key = ?1";
