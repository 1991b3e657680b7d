//! Reads the events of a run, in order.

use consign_engine::{
    At, RunId, Seq,
    journal::{Content, Hash, Record, Salt},
    store::Ends,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{files::Files, row};
use crate::{
    blobs::Blobs,
    sqlite::{
        fail::Halt,
        sql::{count, int},
    },
};

/// How much one read returns at most.
#[derive(Clone, Copy)]
pub(crate) struct Most {
    pub(crate) events: usize,
    /// Reading stops after the event with which the bodies reach this many bytes.
    pub(crate) bytes: usize,
}

impl Most {
    pub(super) const ALL: Self = Self { events: usize::MAX, bytes: usize::MAX };
}

pub(crate) fn events(
    db: &Connection,
    blobs: &Blobs,
    run: &RunId,
    from: Seq,
    most: Most,
) -> Result<Vec<Record>, Halt> {
    let (key, _) = row(db, run)?;
    let before = match from.0.checked_sub(1) {
        Some(before) => hash_of(db, key, Seq(before))?,
        None => None,
    };
    records(&Files { db, blobs, run }, key, from, before, most)
}

/// The row of a run with its first and its newest event.
pub(crate) fn ends(db: &Connection, blobs: &Blobs, run: &RunId) -> Result<Ends, Halt> {
    let (key, row) = row(db, run)?;
    let files = Files { db, blobs, run };
    let one = |from: Seq, before: Option<Hash>| -> Result<Option<Record>, Halt> {
        let most = Most { events: 1, bytes: usize::MAX };
        Ok(records(&files, key, from, before, most)?.pop())
    };
    let first = one(Seq(0), None)?;
    let newest = match row.seq.0.checked_sub(1) {
        Some(before) => one(row.seq, hash_of(db, key, Seq(before))?)?,
        None => first.clone(),
    };
    Ok(Ends { row, first, newest })
}

fn hash_of(db: &Connection, run: i64, seq: Seq) -> rusqlite::Result<Option<Hash>> {
    let mut find = db.prepare_cached("SELECT hash FROM journal WHERE run = ?1 AND seq = ?2")?;
    find.query_row([run, int(seq.0)], |row| row.get(0).map(Hash)).optional()
}

/// Events from `from` on. `before` is the hash of the event before the first.
pub(super) fn records(
    files: &Files<'_>,
    run: i64,
    from: Seq,
    mut before: Option<Hash>,
    most: Most,
) -> Result<Vec<Record>, Halt> {
    let mut find = files.db.prepare_cached(
        "SELECT seq, at, actor, kind, hash, salt, commitment, body, blob FROM journal \
         WHERE run = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3",
    )?;
    let found = find.query_and_then(params![run, int(from.0), int(most.events as u64)], |row| {
        let hash = Hash(row.get(4)?);
        Ok::<_, Halt>(Record {
            seq: Seq(count(row, 0)?),
            at: At(row.get(1)?),
            actor: row.get::<_, String>(2)?.into(),
            kind: row.get::<_, String>(3)?.into(),
            content: content(files, row)?,
            prev: before.replace(hash),
            hash,
        })
    })?;
    let mut size = 0_usize;
    let mut records = Vec::new();
    for record in found {
        let record = record?;
        size = size.saturating_add(record.size());
        records.push(record);
        if size >= most.bytes {
            break;
        }
    }
    Ok(records)
}

fn content(files: &Files<'_>, row: &Row<'_>) -> Result<Content, Halt> {
    match row.get(6)? {
        Some(commitment) => Ok(Content::Redacted(Hash(commitment))),
        None => Ok(Content::Kept(files.data(row, 7, 8)?, Salt(row.get(5)?))),
    }
}

/// The newest instant on record. Rows are appended about as they happen, so the newest is among the
/// last few, also when several processes write.
pub(crate) fn newest(db: &Connection) -> rusqlite::Result<Option<At>> {
    let sql = "SELECT max(at) FROM (SELECT at FROM journal ORDER BY place DESC LIMIT 64)";
    db.prepare_cached(sql)?.query_row([], |row| Ok(row.get::<_, Option<i64>>(0)?.map(At)))
}
