//! Puts versions in the place of what their sources said before.

use consign_engine::{Owner, store::Error};
use consign_knowledge::{Chunk, Put, Version};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Value, json};

use super::{
    make_shelf::{change, shelf},
    remove::{Parts, remove_parts},
};
use crate::sqlite::{
    fail::Halt,
    index::{IndexedWords, PIECE, Tokens},
    sql::int,
    writer::{Write, WriteContext},
};

pub(crate) struct PutVersions {
    owner: Owner,
    /// With the words of each chunk.
    versions: Vec<(Version, Vec<IndexedWords>)>,
}

impl PutVersions {
    pub(crate) fn of(versions: Vec<Version>, tokens: &Tokens) -> Self {
        let index = |version: Version| {
            let words = tokens.index(&version.stems);
            (version, words)
        };
        let versions = versions.into_iter().map(index).collect();
        Self { owner: tokens.owner().clone(), versions }
    }
}

impl Write for PutVersions {
    type Answer = Vec<Put>;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Vec<Put>, Halt> {
        let db = context.db;
        let shelf = shelf(db, &self.owner)?
            .ok_or_else(|| Error::Damaged(format!("the shelf of owner {} is gone", self.owner)))?;
        // What is written moves what is there, and a copy that was left behind would outlive its row.
        let put_all = |db: &Connection| {
            let puts = self.versions.iter().map(|(version, words)| put(db, shelf, version, words));
            puts.collect::<rusqlite::Result<_>>()
        };
        Ok(put_all(db)?)
    }
}

fn put(
    db: &Connection,
    shelf: i64,
    version: &Version,
    words: &[IndexedWords],
) -> rusqlite::Result<Put> {
    let sql = "SELECT key, digest = ?3 FROM sources WHERE shelf = ?1 AND id = ?2";
    let values = params![shelf, version.source.as_str(), &version.digest[..]];
    let find = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?));
    let before = db.prepare_cached(sql)?.query_row(values, find).optional()?;
    if let Some((key, true)) = before {
        let sql = "UPDATE sources SET missing = 0 WHERE key = ?1 AND missing <> 0";
        db.prepare_cached(sql)?.execute([key])?;
        return Ok(Put::Unchanged);
    }
    if let Some((key, _)) = before {
        remove_parts(db, &Parts::of(db, key)?)?;
    }
    let changed = change(db, shelf, i64::from(before.is_some()))?;
    let first_piece = put_text(db, &version.text)?;
    let first_chunk = next(db, "SELECT coalesce(max(key), 0) + 1 FROM chunks")?;
    for (at, (chunk, words)) in (first_chunk..).zip(version.chunks.iter().zip(words)) {
        put_chunk(
            db,
            at,
            chunk,
            words,
            &version.stems[usize::try_from(at - first_chunk).unwrap_or_default()],
        )?;
    }
    let key = put_source(db, shelf, version, changed, first_chunk, first_piece)?;
    let mut label = db.prepare_cached(
        "INSERT INTO labels (shelf, name, value, source) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    )?;
    for (name, value) in version.labels() {
        label.execute(params![shelf, name, value, key])?;
    }
    Ok(if before.is_some() { Put::Replaced } else { Put::Taken })
}

fn next(db: &Connection, sql: &str) -> rusqlite::Result<i64> {
    db.prepare_cached(sql)?.query_row([], |row| row.get(0))
}

fn put_text(db: &Connection, text: &str) -> rusqlite::Result<i64> {
    let first = next(db, "SELECT coalesce(max(key), 0) + 1 FROM pieces")?;
    let mut put = db.prepare_cached("INSERT INTO pieces (key, bytes) VALUES (?1, ?2)")?;
    for (key, piece) in (first..).zip(text.as_bytes().chunks(PIECE)) {
        put.execute(params![key, piece])?;
    }
    Ok(first)
}

fn put_chunk(
    db: &Connection,
    key: i64,
    chunk: &Chunk,
    words: &IndexedWords,
    stems: &consign_knowledge::Stems,
) -> rusqlite::Result<()> {
    let Chunk { span, content, page, layout, heading, bbox } = chunk;
    let sql = "INSERT INTO chunks (key, page, layout, words, start, stop, heading, bbox, content) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    db.prepare_cached(sql)?.execute(params![
        key,
        page,
        layout.as_str(),
        stems.length(),
        int(span.start as u64),
        int(span.end as u64),
        json!(heading).to_string(),
        bbox.map(|bbox| json!(bbox).to_string()),
        content,
    ])?;
    let sql = "INSERT INTO indexed_words (chunk, words) VALUES (?1, ?2)";
    db.prepare_cached(sql)?.execute(params![key, words.to_bytes()])?;
    let sql = "INSERT INTO words (rowid, tokens) VALUES (?1, ?2)";
    db.prepare_cached(sql)?.execute(params![key, words.to_text()])?;
    Ok(())
}

fn put_source(
    db: &Connection,
    shelf: i64,
    version: &Version,
    changed: i64,
    first_chunk: i64,
    first_piece: i64,
) -> rusqlite::Result<i64> {
    let about = &version.about;
    let sql = "INSERT INTO sources (shelf, id, document, collection, source_type, identifier, url, \
               checksum, kind, file_type, file_name, title, metadata, pages, ingested_at, missing, \
               digest, languages, changed, first_chunk, chunks, first_piece, length, model, \
               without_vectors) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, 0, \
               ?16, ?17, ?18, ?19, ?20, ?21, ?22, '', ?20) RETURNING key";
    let values = params![
        shelf,
        version.source.as_str(),
        version.document.as_str(),
        about.collection,
        about.source_type,
        about.identifier,
        about.url,
        about.checksum,
        about.kind,
        about.file_type,
        about.file_name,
        about.title,
        Value::Object(about.metadata.clone()).to_string(),
        about.pages,
        about.ingested_at.0,
        &version.digest[..],
        version.languages.bits(),
        changed,
        first_chunk,
        int(version.chunks.len() as u64),
        first_piece,
        int(version.text.len() as u64),
    ];
    db.prepare_cached(sql)?.query_row(values, |row| row.get(0))
}
