//! Loads a run with everything that is needed to continue it.

use consign_engine::{
    RunId, Seq,
    journal::Hash,
    store::{Error, Loaded, Snapshot},
};
use rusqlite::Connection;

use super::{Most, files::Files, journal::records, row};
use crate::{
    blobs::Blobs,
    sqlite::{fail::Halt, sql::count},
};

pub(crate) fn load(db: &Connection, blobs: &Blobs, run: &RunId) -> Result<Loaded, Halt> {
    let (key, row) = row(db, run)?;
    if row.redacted {
        return Err(Error::Redacted(run.clone()).into());
    }
    let files = Files { db, blobs, run };
    let sql = "SELECT seq, head, digest, state, blob FROM snapshots WHERE run = ?1";
    let mut find = db.prepare_cached(sql)?;
    let mut found = find.query([key])?;
    let found = found.next()?;
    let found = found.ok_or_else(|| Error::Damaged(format!("run {run} has no snapshot")))?;
    let snapshot = Snapshot {
        seq: Seq(count(found, 0)?),
        head: Hash(found.get(1)?),
        digest: Hash(found.get(2)?),
        state: files.data(found, 3, 4)?,
    };
    let tail = records(&files, key, snapshot.seq.next(), Some(snapshot.head), Most::ALL)?;
    Ok(Loaded { row, snapshot, tail })
}
