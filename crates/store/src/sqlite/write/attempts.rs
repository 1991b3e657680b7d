//! Counts attempts, and forgets those that count no more.

use std::time::Duration;

use consign_accounts::{Counted, Limit, Subject};
use consign_engine::At;
use rusqlite::{Connection, params};

use crate::sqlite::{
    fail::Halt,
    writer::{Write, WriteContext},
};

pub(crate) struct CountAttempt {
    pub(crate) limits: Vec<Limit>,
    pub(crate) now: At,
}

impl Write for CountAttempt {
    type Answer = Counted;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Counted, Halt> {
        let mut wait = None;
        for limit in &self.limits {
            wait = wait.max(full(context.db, limit, self.now)?);
        }
        if let Some(retry_after) = wait {
            return Ok(Counted::Limited { retry_after });
        }
        for limit in &self.limits {
            count(context.db, limit, self.now)?;
        }
        Ok(Counted::Done)
    }
}

/// How long to wait if there is no room for one more.
pub(super) fn full(db: &Connection, limit: &Limit, now: At) -> rusqlite::Result<Option<Duration>> {
    // The newest that has to go before there is room: all but the last `most - 1`.
    let sql = "SELECT counts_until FROM attempts WHERE subject = ?1 AND counts_until > ?2 \
               ORDER BY counts_until DESC LIMIT 1 OFFSET ?3";
    let before = i64::from(limit.most.saturating_sub(1));
    let values = params![limit.subject.as_str(), now.0, before];
    let mut find = db.prepare_cached(sql)?;
    let found = find.query_map(values, |row| row.get(0))?.next().transpose()?;
    Ok(found.map(|until| limit.retry_after(At(until), now)))
}

pub(super) fn count(db: &Connection, limit: &Limit, now: At) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM attempts WHERE counts_until <= ?1")?.execute([now.0])?;
    let sql = "INSERT INTO attempts (subject, counts_until) VALUES (?1, ?2)";
    let values = params![limit.subject.as_str(), limit.counts_until(now).0];
    db.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

pub(super) fn clear(db: &Connection, subject: &Subject) -> rusqlite::Result<()> {
    let sql = "DELETE FROM attempts WHERE subject = ?1";
    db.prepare_cached(sql)?.execute([subject.as_str()])?;
    Ok(())
}
