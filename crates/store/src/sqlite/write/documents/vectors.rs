//! Adds vectors to chunks that are still there.

use consign_engine::Owner;
use consign_knowledge::{ChunkId, DocumentId, Vector};
use rusqlite::{Connection, OptionalExtension, params};

use super::make_shelf::{change, shelf};
use crate::sqlite::{
    fail::Halt,
    sql::int,
    writer::{Write, WriteContext},
};

pub(crate) struct AddVectors {
    pub(crate) owner: Owner,
    pub(crate) model: String,
    pub(crate) vectors: Vec<(ChunkId, Vector)>,
}

/// A source that is about to get vectors.
struct Of {
    key: i64,
    first_chunk: i64,
    chunks: i64,
}

impl Write for AddVectors {
    type Answer = usize;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<usize, Halt> {
        // The rows of sources are written anew.
        Ok(self.add(context.db)?)
    }
}

impl AddVectors {
    fn add(&self, db: &Connection) -> rusqlite::Result<usize> {
        let Some(shelf) = shelf(db, &self.owner)? else { return Ok(0) };
        let mut added = 0;
        let mut put = db.prepare_cached(
            "INSERT INTO vectors (chunk, bytes) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        )?;
        let of_one =
            |(a, _): &(ChunkId, Vector), (b, _): &(ChunkId, Vector)| a.document == b.document;
        for vectors in self.vectors.chunk_by(of_one) {
            let Some((first, _)) = vectors.first() else { continue };
            let Some(of) = self.source(db, shelf, &first.document)? else { continue };
            let mut here = 0;
            for (id, vector) in vectors {
                let index = i64::from(id.index);
                if index < of.chunks {
                    here += put.execute(params![of.first_chunk + index, vector.to_bytes()])?;
                }
            }
            if here > 0 {
                let changed = change(db, shelf, 0)?;
                let sql = "UPDATE sources SET without_vectors = without_vectors - ?2, changed = ?3 \
                           WHERE key = ?1";
                db.prepare_cached(sql)?.execute(params![of.key, int(here as u64), changed])?;
            }
            added += here;
        }
        Ok(added)
    }

    /// The source whose current document this is, ready for vectors of the model.
    fn source(
        &self,
        db: &Connection,
        shelf: i64,
        document: &DocumentId,
    ) -> rusqlite::Result<Option<Of>> {
        let sql = "SELECT key, first_chunk, chunks, model FROM sources WHERE shelf = ?1 AND document = ?2";
        let mut find = db.prepare_cached(sql)?;
        let found = find.query_row(params![shelf, document.as_str()], |row| {
            let of = Of { key: row.get(0)?, first_chunk: row.get(1)?, chunks: row.get(2)? };
            Ok((of, row.get::<_, String>(3)?))
        });
        let Some((of, model)) = found.optional()? else { return Ok(None) };
        if model != self.model {
            let sql = "DELETE FROM vectors WHERE chunk >= ?1 AND chunk < ?2";
            db.prepare_cached(sql)?.execute([of.first_chunk, of.first_chunk + of.chunks])?;
            let sql = "UPDATE sources SET model = ?2, without_vectors = chunks WHERE key = ?1";
            db.prepare_cached(sql)?.execute(params![of.key, self.model])?;
        }
        Ok(Some(of))
    }
}
