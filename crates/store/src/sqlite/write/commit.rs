//! Commits a step of a run's holder. This is the hot path.
//!
//! One conditional update of the run both checks and writes; only when it changes no row is the
//! reason looked up. The owner's account and the inbox are touched only by steps that change them.

use std::sync::Arc;

use consign_engine::{
    Epoch, Seq, Status,
    store::{Commit, Error, Refusal, Standing},
};
use rusqlite::{ToSql, params};

use super::{WriteOutcome, inbox, ledger, step};
use crate::sqlite::{
    fail::Halt,
    large::Names,
    sql::{count, int, status},
    writer::{Write, WriteContext},
};

pub(crate) struct WriteCommit {
    pub(crate) commit: Arc<Commit>,
    pub(crate) names: Names,
}

impl Write for WriteCommit {
    type Answer = WriteOutcome;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<WriteOutcome, Halt> {
        let Commit { claim, seen, step } = &*self.commit;
        let run = context.run(&claim.run)?;
        // What is wrong with the claim is told before anything else.
        let refuse = |context: &WriteContext<'_>, otherwise: Error| {
            let refusal = self.refusal(context, run.key)?;
            Err(Halt::Answer(refusal.map_or(otherwise, Error::from)))
        };
        if let Err(mistake) = step::check(Some(*seen), step) {
            return refuse(context, mistake);
        }
        if !self.names.are_there(context.home) {
            return Ok(WriteOutcome::FileGone);
        }
        let account = match ledger::settle(context.db, &run.owner, step.ledger)? {
            Ok(account) => account,
            Err(over_cap) => return refuse(context, over_cap.into()),
        };
        if !self.move_on(context, run.key)? {
            return refuse(context, Error::Damaged(format!("run {} cannot be updated", claim.run)));
        }

        step::insert_records(context.db, run.key, &step.records, &self.names)?;
        if let Some(snapshot) = &step.snapshot {
            step::replace_snapshot(context.db, run.key, snapshot, &self.names)?;
        }
        if let Some(version) = step.upgraded {
            let sql = "UPDATE runs SET version = ?1 WHERE key = ?2";
            context.db.prepare_cached(sql)?.execute(params![version, run.key])?;
        }
        if let Some(label) = &step.label {
            let sql = "UPDATE runs SET label = ?1 WHERE key = ?2";
            context.db.prepare_cached(sql)?.execute(params![label, run.key])?;
        }
        if let Some(account) = account {
            ledger::keep(context.db, &run.owner, &account)?;
        }
        for change in &step.asks {
            inbox::change(context.db, run.key, change)?;
        }
        match step.standing {
            Standing::Held | Standing::Parked { .. } => {}
            Standing::Queued => context.wake_workers(),
            Standing::Closed(_) => {
                inbox::withdraw_all(context.db, run.key)?;
                context.forget(&claim.run);
            }
        }
        Ok(WriteOutcome::Done)
    }
}

impl WriteCommit {
    /// Updates the run if the claim still holds and the run is where the holder thinks it is.
    /// Returns whether it did.
    fn move_on(&self, context: &WriteContext<'_>, run: i64) -> rusqlite::Result<bool> {
        let Commit { claim, seen, step } = &*self.commit;
        let (sql, status, wake_at) = match step.standing {
            Standing::Held => (HOLD, Status::Running, None),
            Standing::Queued => (LEAVE, Status::Queued, None),
            Standing::Parked { wake_at } => (LEAVE, Status::Waiting, wake_at),
            Standing::Closed(status) => (LEAVE, status, None),
        };
        let newest = step.records.last();
        let values: [&dyn ToSql; 12] = [
            &int(newest.map_or(*seen, |record| record.seq).0),
            &newest.map(|record| &record.hash.0[..]),
            &newest.map(|record| record.at.0),
            &int(step.figures.spent.get()),
            &int(step.figures.reserved.get()),
            &step.figures.cap.map(|cap| int(cap.get())),
            &run,
            &claim.worker.as_str(),
            &int(claim.epoch.0),
            &int(seen.0),
            &status.as_str(),
            &wake_at.map(|at| at.0),
        ];
        let mut update = context.db.prepare_cached(sql)?;
        let bound = &values[..update.parameter_count()];
        Ok(update.execute(bound)? > 0)
    }

    /// Why the claim does not hold. `None` if it does.
    fn refusal(&self, context: &WriteContext<'_>, run: i64) -> Result<Option<Refusal>, Halt> {
        let Commit { claim, seen, .. } = &*self.commit;
        let sql = "SELECT status, worker, epoch, seq FROM runs WHERE key = ?1";
        let mut look = context.db.prepare_cached(sql)?;
        let (status, worker, epoch, newest) = look.query_row([run], |row| {
            let (epoch, newest) = (Epoch(count(row, 2)?), Seq(count(row, 3)?));
            Ok((status(row, 0)?, row.get::<_, Option<String>>(1)?, epoch, newest))
        })?;
        Ok(if status.is_closed() {
            Some(Refusal::Closed)
        } else if worker.as_deref() != Some(claim.worker.as_str()) || epoch != claim.epoch {
            Some(Refusal::Fenced)
        } else if newest != *seen {
            Some(Refusal::Moved { newest })
        } else {
            None
        })
    }
}

/// The update for a holder that keeps the run. It does not name the columns of the queue's indexes:
/// setting them, even to the same value, would rewrite the indexes.
const HOLD: &str = "UPDATE runs SET seq = ?1, head = coalesce(?2, head), at = coalesce(?3, at), \
    spent = ?4, reserved = ?5, cap = ?6, poked = 0 \
    WHERE key = ?7 AND worker = ?8 AND epoch = ?9 AND seq = ?10";

/// The holder lets it go. A command that stops in the middle of its foreground run interrupts that.
const LEAVE: &str = "UPDATE runs SET seq = ?1, head = coalesce(?2, head), at = coalesce(?3, at), \
    spent = ?4, reserved = ?5, cap = ?6, poked = 0, status = ?11, worker = NULL, wake_at = ?12, \
    interrupted = (?11 = 'queued' AND keeper IS NOT NULL \
    AND placement IN ('foreground', 'here_only')) \
    WHERE key = ?7 AND worker = ?8 AND epoch = ?9 AND seq = ?10";
