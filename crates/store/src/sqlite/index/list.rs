//! Reads what is known of shelves and sources.

use std::collections::BTreeSet;

use consign_engine::{At, Owner};
use consign_knowledge::{About, DocumentId, Progress, Source, SourceId, SourceQuery};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::sqlite::sql::{count, int, word};

/// What is kept for one owner.
pub(crate) struct ShelfRow {
    pub(crate) key: i64,
    pub(crate) secret: [u8; 32],
    pub(crate) changes: i64,
    pub(crate) removals: i64,
}

pub(crate) fn shelf(db: &Connection, owner: &Owner) -> rusqlite::Result<Option<ShelfRow>> {
    let sql = "SELECT key, secret, changes, removals FROM shelves WHERE owner = ?1";
    let read = |row: &Row<'_>| {
        let (key, secret) = (row.get(0)?, row.get(1)?);
        Ok(ShelfRow { key, secret, changes: row.get(2)?, removals: row.get(3)? })
    };
    db.prepare_cached(sql)?.query_row([owner.as_str()], read).optional()
}

/// The columns of [`read_source`].
macro_rules! source_columns {
    () => {
        "s.id, s.document, s.collection, s.source_type, s.identifier, s.url, s.checksum, s.kind, \
         s.file_type, s.file_name, s.title, s.metadata, s.pages, s.ingested_at, s.chunks, s.length, s.missing"
    };
}
pub(super) use source_columns;

pub(super) fn read_source(row: &Row<'_>) -> rusqlite::Result<Source> {
    let about = About {
        collection: row.get(2)?,
        source_type: row.get(3)?,
        identifier: row.get(4)?,
        url: row.get(5)?,
        checksum: row.get(6)?,
        kind: row.get(7)?,
        file_type: row.get(8)?,
        file_name: row.get(9)?,
        title: row.get(10)?,
        metadata: word(row, 11, |text| serde_json::from_str(text).ok())?,
        pages: row.get(12)?,
        ingested_at: At(row.get(13)?),
    };
    Ok(Source {
        id: SourceId::named(row.get::<_, String>(0)?),
        document: DocumentId::named(row.get::<_, String>(1)?),
        about,
        chunks: row.get(14)?,
        length: count(row, 15)?,
        missing: row.get(16)?,
    })
}

pub(super) fn source(
    db: &Connection,
    owner: &Owner,
    id: &SourceId,
) -> rusqlite::Result<Option<Source>> {
    let sql = concat!(
        "SELECT ",
        source_columns!(),
        " FROM shelves JOIN sources s ON s.shelf = shelves.key WHERE owner = ?1 AND s.id = ?2"
    );
    let values = params![owner.as_str(), id.as_str()];
    db.prepare_cached(sql)?.query_row(values, read_source).optional()
}

pub(super) fn sources(
    db: &Connection,
    owner: &Owner,
    query: &SourceQuery,
) -> rusqlite::Result<Vec<Source>> {
    let SourceQuery { collection, after, most } = query;
    let sql = concat!(
        "SELECT ",
        source_columns!(),
        " FROM shelves JOIN sources s ON s.shelf = shelves.key \
         WHERE owner = ?1 AND (s.collection, s.identifier) > (?2, ?3) \
         AND (?4 IS NULL OR s.collection = ?4) ORDER BY s.collection, s.identifier LIMIT ?5"
    );
    // The collection itself is where its sources begin: an identifier is never empty.
    let (from, name) = match (after, collection) {
        (Some((from, name)), _) => (from.as_str(), name.as_str()),
        (None, Some(collection)) => (collection.as_str(), ""),
        (None, None) => ("", ""),
    };
    let values = params![owner.as_str(), from, name, collection, int(*most as u64)];
    db.prepare_cached(sql)?.query_map(values, read_source)?.collect()
}

/// Sources that have chunks without a vector of the model, in three ranges of an index.
pub(super) const WITHOUT_VECTORS: &str = "\
    SELECT key FROM sources WHERE shelf = ?1 AND model = ?2 AND without_vectors > 0 UNION ALL \
    SELECT key FROM sources WHERE shelf = ?1 AND model < ?2 AND chunks > 0 UNION ALL \
    SELECT key FROM sources WHERE shelf = ?1 AND model > ?2 AND chunks > 0";

pub(super) fn owners_without_vectors(db: &Connection, model: &str) -> rusqlite::Result<Vec<Owner>> {
    let mut shelves = db.prepare_cached("SELECT key, owner FROM shelves ORDER BY owner")?;
    let shelves =
        shelves.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let mut look = db.prepare_cached(WITHOUT_VECTORS)?;
    let mut owners = Vec::new();
    for shelf in shelves {
        let (key, owner) = shelf?;
        if look.exists(params![key, model])? {
            owners.push(owner.into());
        }
    }
    Ok(owners)
}

pub(super) fn progress(db: &Connection, owner: &Owner, model: &str) -> rusqlite::Result<Progress> {
    let sql = "SELECT coalesce(sum(iif(model = ?2, chunks - without_vectors, 0)), 0), \
               coalesce(sum(chunks), 0) \
               FROM shelves JOIN sources ON shelf = shelves.key WHERE owner = ?1";
    let read = |row: &Row<'_>| Ok(Progress { done: count(row, 0)?, total: count(row, 1)? });
    db.prepare_cached(sql)?.query_row(params![owner.as_str(), model], read)
}

/// The keys of sources that have any of these values under a name.
pub(super) fn labelled(
    db: &Connection,
    shelf: i64,
    name: &str,
    values: &BTreeSet<String>,
) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT source FROM labels WHERE shelf = ?1 AND name = ?2 AND value = ?3";
    let mut find = db.prepare_cached(sql)?;
    let mut found = Vec::new();
    for value in values {
        for source in find.query_map(params![shelf, name, value], |row| row.get(0))? {
            found.push(source?);
        }
    }
    Ok(found)
}
