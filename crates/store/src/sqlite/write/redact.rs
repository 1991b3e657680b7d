//! Erases what a closed run has said and heard, in one transaction.
//!
//! Rows are changed and not removed: SQLite overwrites with zeros what a row no longer needs, but when rows are removed
//! it moves others between pages, and a moved row leaves a copy where it was.

use std::sync::Arc;

use consign_engine::{
    Seq,
    journal::Hash,
    store::{Erasure, Error, Refusal},
};
use rusqlite::{Connection, params};

use super::step;
use crate::{
    blobs::Name,
    sqlite::{
        fail::Halt,
        large::Names,
        sql::{count, int, status},
        writer::{Write, WriteContext},
    },
};

pub(crate) struct Redact {
    pub(crate) erasure: Arc<Erasure>,
    /// What binds the body of each event up to the newest that the caller has seen, in order.
    pub(crate) commitments: Arc<Vec<Hash>>,
}

impl Write for Redact {
    /// The files that the run named.
    type Answer = Vec<Name>;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Vec<Name>, Halt> {
        let Erasure { run: id, seen, record } = &*self.erasure;
        let run = context.run(id)?;
        let sql = "SELECT status, seq FROM runs WHERE key = ?1";
        let mut look = context.db.prepare_cached(sql)?;
        let (status, newest) =
            look.query_row([run.key], |row| Ok((status(row, 0)?, Seq(count(row, 1)?))))?;
        if !status.is_closed() {
            return Err(Refusal::Open.into());
        }
        if newest != *seen {
            return Err(Refusal::Moved { newest }.into());
        }
        step::check_chain(Some(*seen), std::slice::from_ref(record))?;
        if self.commitments.len() as u64 != seen.0 + 1 {
            let why = format!("run {id} has {} of {} events", self.commitments.len(), seen.0 + 1);
            return Err(Error::Damaged(why).into());
        }
        let files = files(context.db, run.key)?;
        self.erase(context.db, run.key)?;
        context.forget(id);
        Ok(files)
    }
}

impl Redact {
    fn erase(&self, db: &Connection, run: i64) -> rusqlite::Result<()> {
        let Erasure { run: id, record, .. } = &*self.erasure;
        // The first makes room in each page for what the second adds.
        let sql = "UPDATE journal SET salt = NULL, body = NULL, blob = NULL \
                   WHERE run = ?1 AND seq = ?2";
        let mut empty = db.prepare_cached(sql)?;
        let sql = "UPDATE journal SET commitment = ?3 WHERE run = ?1 AND seq = ?2";
        let mut bind = db.prepare_cached(sql)?;
        for seq in 0..self.commitments.len() as u64 {
            empty.execute(params![run, int(seq)])?;
        }
        for (seq, commitment) in (0_u64..).zip(self.commitments.iter()) {
            bind.execute(params![run, int(seq), &commitment.0[..]])?;
        }
        step::insert_records(db, run, std::slice::from_ref(record), &Names::default())?;
        let sql = "UPDATE snapshots SET digest = x'', state = NULL, blob = NULL WHERE run = ?1";
        db.prepare_cached(sql)?.execute([run])?;
        let sql = "UPDATE interactions SET key = place, prompt = '', schema = 'null', \
                   fallback = NULL, code = NULL, agent = NULL WHERE run = ?1";
        db.prepare_cached(sql)?.execute([run])?;
        let sql = "UPDATE comments SET text = '' WHERE run = ?1";
        db.prepare_cached(sql)?.execute([id.as_str()])?;
        let sql = "UPDATE revisions SET instruction = '' WHERE run = ?1";
        db.prepare_cached(sql)?.execute([id.as_str()])?;
        let sql = "UPDATE runs SET seq = ?2, head = ?3, at = ?4, redacted = 1 WHERE key = ?1";
        db.prepare_cached(sql)?
            .execute(params![run, int(record.seq.0), &record.hash.0[..], record.at.0])
            .map(drop)
    }
}

fn files(db: &Connection, run: i64) -> rusqlite::Result<Vec<Name>> {
    let sql = "SELECT blob FROM journal WHERE run = ?1 AND blob IS NOT NULL \
               UNION SELECT blob FROM snapshots WHERE run = ?1 AND blob IS NOT NULL";
    let mut find = db.prepare_cached(sql)?;
    find.query_map([run], |row| row.get(0).map(Name::from_bytes))?.collect()
}
