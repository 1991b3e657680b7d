//! Removes a source and all that came from it.
//!
//! What is removed is overwritten in its pages; the caller empties the WAL.

use consign_engine::Owner;
use consign_knowledge::SourceId;
use rusqlite::{Connection, OptionalExtension, params};

use super::make_shelf::{change, shelf};
use crate::sqlite::{
    fail::Halt,
    index::{IndexedWords, PIECE},
    sql::count,
    writer::{Write, WriteContext},
};

pub(crate) struct RemoveSource {
    pub(crate) owner: Owner,
    pub(crate) source: SourceId,
}

impl Write for RemoveSource {
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        let db = context.db;
        let Some(shelf) = shelf(db, &self.owner)? else { return Ok(false) };
        let Some(key) = source(db, shelf, &self.source)? else { return Ok(false) };
        remove_parts(db, &Parts::of(db, key)?)?;
        change(db, shelf, 1)?;
        Ok(true)
    }
}

pub(crate) struct SetMissing {
    pub(crate) owner: Owner,
    pub(crate) source: SourceId,
    pub(crate) missing: bool,
}

impl Write for SetMissing {
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        let Some(shelf) = shelf(context.db, &self.owner)? else { return Ok(false) };
        let sql = "UPDATE sources SET missing = ?3 WHERE shelf = ?1 AND id = ?2";
        let values = params![shelf, self.source.as_str(), self.missing];
        Ok(context.db.prepare_cached(sql)?.execute(values)? > 0)
    }
}

fn source(db: &Connection, shelf: i64, id: &SourceId) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT key FROM sources WHERE shelf = ?1 AND id = ?2";
    db.prepare_cached(sql)?.query_row(params![shelf, id.as_str()], |row| row.get(0)).optional()
}

/// Where the parts of a source are: from a key on, and up to another.
pub(super) struct Parts {
    source: i64,
    chunks: (i64, i64),
    pieces: (i64, i64),
}

impl Parts {
    pub(super) fn of(db: &Connection, source: i64) -> rusqlite::Result<Self> {
        let sql = "SELECT first_chunk, chunks, first_piece, length FROM sources WHERE key = ?1";
        db.prepare_cached(sql)?.query_row([source], |row| {
            let (chunk, chunks): (i64, i64) = (row.get(0)?, row.get(1)?);
            let (piece, length): (i64, u64) = (row.get(2)?, count(row, 3)?);
            let pieces = i64::try_from(length.div_ceil(PIECE as u64)).unwrap_or(i64::MAX);
            Ok(Self { source, chunks: (chunk, chunk + chunks), pieces: (piece, piece + pieces) })
        })
    }
}

/// Removes them, the row of the source included.
pub(super) fn remove_parts(db: &Connection, parts: &Parts) -> rusqlite::Result<()> {
    let Parts { source, chunks, pieces } = parts;
    unindex(db, *chunks)?;
    for sql in [
        "DELETE FROM indexed_words WHERE chunk >= ?1 AND chunk < ?2",
        "DELETE FROM vectors WHERE chunk >= ?1 AND chunk < ?2",
        "DELETE FROM chunks WHERE key >= ?1 AND key < ?2",
    ] {
        db.prepare_cached(sql)?.execute(*chunks)?;
    }
    db.prepare_cached("DELETE FROM pieces WHERE key >= ?1 AND key < ?2")?.execute(*pieces)?;
    db.prepare_cached("DELETE FROM labels WHERE source = ?1")?.execute([source])?;
    db.prepare_cached("DELETE FROM sources WHERE key = ?1")?.execute([source])?;
    Ok(())
}

/// Takes the words of chunks out of the index. It keeps none of them, so it is told them again.
fn unindex(db: &Connection, chunks: (i64, i64)) -> rusqlite::Result<()> {
    let sql = "SELECT chunk, words FROM indexed_words WHERE chunk >= ?1 AND chunk < ?2";
    let mut find = db.prepare_cached(sql)?;
    let mut rows = find.query(chunks)?;
    let sql = "INSERT INTO words (words, rowid, tokens) VALUES ('delete', ?1, ?2)";
    let mut forget = db.prepare_cached(sql)?;
    while let Some(row) = rows.next()? {
        let words = IndexedWords::from_bytes(row.get_ref(1)?.as_blob()?);
        forget.execute(params![row.get::<_, i64>(0)?, words.to_text()])?;
    }
    // FTS5 writes what it was told when a savepoint begins: now, while freed pages are overwritten.
    db.execute_batch("SAVEPOINT unindexed; RELEASE unindexed")
}
