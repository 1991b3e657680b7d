//! Reads chunks and the text of documents.

use std::{ops::Range, sync::Arc};

use consign_contracts::crew::LayoutType;
use consign_engine::Owner;
use consign_knowledge::{About, ChunkId, DocumentId, SourceId, StoredChunk};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::list::{self, WITHOUT_VECTORS, read_source, source_columns};
use crate::sqlite::sql::{count, int, word};

/// The bytes of each piece of a text but the last.
pub(crate) const PIECE: usize = 8_192;

/// A source, with what its chunks need of it.
struct Of {
    id: SourceId,
    document: DocumentId,
    about: Arc<About>,
    first_chunk: i64,
    chunks: i64,
    first_piece: i64,
    length: usize,
    model: String,
    without_vectors: i64,
}

macro_rules! of_columns {
    () => {
        concat!(source_columns!(), ", s.first_chunk, s.first_piece, s.model, s.without_vectors")
    };
}

fn read_of(row: &Row<'_>) -> rusqlite::Result<Of> {
    let source = read_source(row)?;
    Ok(Of {
        id: source.id,
        document: source.document,
        about: source.about.into(),
        first_chunk: row.get(17)?,
        chunks: i64::from(source.chunks),
        first_piece: row.get(18)?,
        length: usize::try_from(source.length).unwrap_or(usize::MAX),
        model: row.get(19)?,
        without_vectors: row.get(20)?,
    })
}

fn of_document(
    db: &Connection,
    owner: &Owner,
    document: &DocumentId,
) -> rusqlite::Result<Option<Of>> {
    let sql = concat!(
        "SELECT ",
        of_columns!(),
        " FROM shelves JOIN sources s ON s.shelf = shelves.key WHERE owner = ?1 AND s.document = ?2"
    );
    let values = params![owner.as_str(), document.as_str()];
    db.prepare_cached(sql)?.query_row(values, read_of).optional()
}

fn of_key(db: &Connection, key: i64) -> rusqlite::Result<Of> {
    let sql = concat!("SELECT ", of_columns!(), " FROM sources s WHERE s.key = ?1");
    db.prepare_cached(sql)?.query_row([key], read_of)
}

pub(super) fn text(
    db: &Connection,
    owner: &Owner,
    document: &DocumentId,
    span: &Range<usize>,
) -> rusqlite::Result<Option<String>> {
    let Some(of) = of_document(db, owner, document)? else { return Ok(None) };
    if span.start > span.end || span.end > of.length {
        return Ok(None);
    }
    // One byte more, if there is one: it tells whether the span ends within a character.
    let mut found = bytes(db, &of, &(span.start..(span.end + 1).min(of.length)))?;
    let is_boundary = |at: usize| found.get(at).is_none_or(|byte| byte & 0xc0 != 0x80);
    if !is_boundary(0) || !is_boundary(span.len()) {
        return Ok(None);
    }
    found.truncate(span.len());
    Ok(String::from_utf8(found).ok())
}

/// The bytes of a part of a text, which its span is within.
fn bytes(db: &Connection, of: &Of, span: &Range<usize>) -> rusqlite::Result<Vec<u8>> {
    let mut found = Vec::with_capacity(span.len());
    if span.is_empty() {
        return Ok(found);
    }
    let mut read = db.prepare_cached("SELECT bytes FROM pieces WHERE key = ?1")?;
    for piece in span.start / PIECE..=(span.end - 1) / PIECE {
        let at = piece * PIECE;
        let part = span.start.saturating_sub(at)..(span.end - at).min(PIECE);
        read.query_row([of.first_piece + int(piece as u64)], |row| {
            let whole = row.get_ref(0)?.as_blob()?;
            found.extend_from_slice(
                whole.get(part.start..part.end.min(whole.len())).unwrap_or_default(),
            );
            Ok(())
        })?;
    }
    Ok(found)
}

/// A chunk by its place in its document.
fn chunk(db: &Connection, of: &Of, index: i64) -> rusqlite::Result<StoredChunk> {
    let sql = "SELECT page, layout, start, stop, heading, bbox, content FROM chunks WHERE key = ?1";
    let mut found = db.prepare_cached(sql)?;
    found.query_row([of.first_chunk + index], |row| {
        let place = |column| count(row, column).map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let span = place(2)?..place(3)?;
        let content = match row.get::<_, Option<String>>(6)? {
            Some(content) => content,
            None => String::from_utf8_lossy(&bytes(db, of, &span)?).into_owned(),
        };
        let bbox: Option<String> = row.get(5)?;
        Ok(StoredChunk {
            id: ChunkId {
                document: of.document.clone(),
                index: u32::try_from(index).unwrap_or(u32::MAX),
            },
            source: of.id.clone(),
            about: of.about.clone(),
            content,
            span,
            page: row.get(0)?,
            layout: word(row, 1, LayoutType::from_word)?,
            heading: word(row, 4, |text| serde_json::from_str(text).ok())?,
            bbox: bbox.and_then(|text| serde_json::from_str(&text).ok()),
        })
    })
}

pub(super) fn chunks(
    db: &Connection,
    owner: &Owner,
    document: &DocumentId,
    from: u32,
    most: usize,
) -> rusqlite::Result<Vec<StoredChunk>> {
    let Some(of) = of_document(db, owner, document)? else { return Ok(Vec::new()) };
    (i64::from(from)..of.chunks).take(most).map(|index| chunk(db, &of, index)).collect()
}

/// A chunk by the key of its source and its place there.
pub(super) fn chunk_of(db: &Connection, source: i64, index: u32) -> rusqlite::Result<StoredChunk> {
    chunk(db, &of_key(db, source)?, i64::from(index))
}

pub(super) fn without_vectors(
    db: &Connection,
    owner: &Owner,
    model: &str,
    most: usize,
) -> rusqlite::Result<Vec<StoredChunk>> {
    let Some(shelf) = list::shelf(db, owner)? else { return Ok(Vec::new()) };
    let mut sources = db.prepare_cached(WITHOUT_VECTORS)?;
    let sources = sources.query_map(params![shelf.key, model], |row| row.get::<_, i64>(0))?;
    let mut has = db.prepare_cached("SELECT 1 FROM vectors WHERE chunk = ?1")?;
    let mut found = Vec::new();
    for source in sources {
        let of = of_key(db, source?)?;
        // They come in order, so those that have one are mostly the first: a long document is not gone through each time.
        let done = if of.model == model { of.chunks - of.without_vectors } else { 0 };
        for index in (done..of.chunks).chain(0..done) {
            if found.len() >= most {
                return Ok(found);
            }
            if of.model != model || !has.exists([of.first_chunk + index])? {
                found.push(chunk(db, &of, index)?);
            }
        }
    }
    Ok(found)
}
