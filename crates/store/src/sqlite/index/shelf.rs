//! What a search goes through for each chunk of an owner, in memory.
//!
//! The slots of all chunks stand in the order of their keys, in columns. [`Shelf::refresh`] brings them to the moment of
//! a transaction: it reads the sources that changed since, and drops those that are gone.

use std::collections::{HashMap, HashSet};

use consign_contracts::crew::LayoutType;
use consign_knowledge::{ChunkId, DocumentId, Languages, Progress, Totals, Vector};
use rusqlite::{Connection, params};

use super::list::ShelfRow;
use crate::sqlite::sql::word;

/// The chunks of an owner, with their vectors of one model.
#[derive(Default)]
pub(crate) struct Shelf {
    /// The changes and removals that it knows of.
    pub(super) changes: i64,
    removals: i64,
    model: Option<String>,
    dimensions: usize,
    /// By key. A source's slots stand together.
    sources: HashMap<i64, SourceSlots>,
    pub(super) keys: Vec<i64>,
    pub(super) slots: Vec<Slot>,
    /// The vectors, one after the other: zeros where there is none.
    parts: Vec<i8>,
}

struct SourceSlots {
    document: DocumentId,
    languages: Languages,
    first_chunk: i64,
    chunks: i64,
}

#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub(super) source: i64,
    pub(super) words: u32,
    pub(super) page: Option<u32>,
    pub(super) layout: LayoutType,
    /// Of its document.
    pub(super) languages: Languages,
    /// The length of a step of its vector, if it has one.
    pub(super) scale: Option<f32>,
}

impl Shelf {
    /// An empty shelf, for words alone or for the vectors of a model.
    pub(super) fn of(model: Option<&str>, dimensions: usize) -> Self {
        let model = model.map(str::to_owned);
        Self { model, dimensions, changes: -1, ..Self::default() }
    }

    /// What one chunk takes of the memory.
    pub(super) fn bytes_each(&self) -> usize {
        size_of::<Slot>() + size_of::<i64>() + self.dimensions
    }

    pub(super) fn bytes(&self) -> usize {
        self.keys.len() * self.bytes_each() + self.sources.len() * 128
    }

    pub(super) fn totals(&self) -> Totals {
        let words = self.slots.iter().map(|slot| u64::from(slot.words)).sum();
        Totals { chunks: self.slots.len() as u64, words }
    }

    pub(super) fn progress(&self) -> Progress {
        let done = self.slots.iter().filter(|slot| slot.scale.is_some()).count() as u64;
        Progress { done, total: self.slots.len() as u64 }
    }

    pub(super) fn languages(&self) -> Languages {
        self.sources.values().fold(Languages::none(), |all, one| all.and(one.languages))
    }

    pub(super) fn vector(&self, slot: usize) -> &[i8] {
        let at = slot * self.dimensions;
        self.parts.get(at..at + self.dimensions).unwrap_or_default()
    }

    /// The name of a chunk, which decides between equals.
    pub(super) fn name(&self, slot: usize) -> Option<(&DocumentId, u32)> {
        let source = self.sources.get(&self.slots.get(slot)?.source)?;
        let index = u32::try_from(self.keys.get(slot)? - source.first_chunk).ok()?;
        Some((&source.document, index))
    }

    pub(super) fn chunk_id(&self, slot: usize) -> Option<ChunkId> {
        self.name(slot).map(|(document, index)| ChunkId { document: document.clone(), index })
    }

    /// Brings it to the moment of the transaction that `row` was read in.
    pub(super) fn refresh(&mut self, db: &Connection, row: &ShelfRow) -> rusqlite::Result<()> {
        let changed = self.changed(db, row)?;
        // One that only got vectors keeps its slots, and each is read anew. Any other is another document by now.
        let keeps_slots = |now: &SourceSlots, before: &SourceSlots| {
            (now.first_chunk, now.chunks) == (before.first_chunk, before.chunks)
        };
        let is_other = |(key, now): &&(i64, SourceSlots)| {
            self.sources.get(key).is_some_and(|before| !keeps_slots(now, before))
        };
        let mut stale: HashSet<i64> =
            changed.iter().filter(is_other).map(|(key, _)| *key).collect();
        if self.removals != row.removals && !self.sources.is_empty() {
            let mut there = db.prepare_cached("SELECT key FROM sources WHERE shelf = ?1")?;
            let there = there.query_map([row.key], |row| row.get(0))?;
            let there = there.collect::<rusqlite::Result<HashSet<i64>>>()?;
            stale.extend(self.sources.keys().filter(|key| !there.contains(key)));
        }
        self.drop_sources(&stale);
        self.sources.extend(changed);
        self.read_slots(db, row)?;
        // New chunks mostly have the highest keys.
        if !self.keys.is_sorted() {
            self.sort();
        }
        (self.changes, self.removals) = (row.changes, row.removals);
        Ok(())
    }

    fn changed(
        &self,
        db: &Connection,
        row: &ShelfRow,
    ) -> rusqlite::Result<Vec<(i64, SourceSlots)>> {
        let sql = "SELECT key, document, languages, first_chunk, chunks FROM sources \
                   WHERE shelf = ?1 AND changed > ?2";
        let mut changed = db.prepare_cached(sql)?;
        let changed = changed.query_map(params![row.key, self.changes], |row| {
            let document = DocumentId::named(row.get::<_, String>(1)?);
            let languages = Languages::from_bits(row.get(2)?);
            let (first_chunk, chunks) = (row.get(3)?, row.get(4)?);
            Ok((row.get(0)?, SourceSlots { document, languages, first_chunk, chunks }))
        })?;
        changed.collect()
    }

    fn drop_sources(&mut self, stale: &HashSet<i64>) {
        if stale.is_empty() {
            return;
        }
        self.sources.retain(|key, _| !stale.contains(key));
        let mut to = 0;
        for from in 0..self.keys.len() {
            if stale.contains(&self.slots[from].source) {
                continue;
            }
            self.move_slot(from, to);
            to += 1;
        }
        self.keys.truncate(to);
        self.slots.truncate(to);
        self.parts.truncate(to * self.dimensions);
    }

    fn move_slot(&mut self, from: usize, to: usize) {
        if from != to {
            (self.keys[to], self.slots[to]) = (self.keys[from], self.slots[from]);
            let size = self.dimensions;
            self.parts.copy_within(from * size..(from + 1) * size, to * size);
        }
    }

    /// Reads the chunks of the sources that changed.
    fn read_slots(&mut self, db: &Connection, row: &ShelfRow) -> rusqlite::Result<()> {
        let sql = "SELECT s.key, c.key, c.page, c.layout, c.words, v.bytes, s.languages \
                   FROM sources s INDEXED BY sources_changed \
                   JOIN chunks c ON c.key >= s.first_chunk AND c.key < s.first_chunk + s.chunks \
                   LEFT JOIN vectors v ON v.chunk = c.key AND s.model = ?3 \
                   WHERE s.shelf = ?1 AND s.changed > ?2";
        let mut find = db.prepare_cached(sql)?;
        let mut rows = find.query(params![row.key, self.changes, self.model])?;
        let known = self.keys.len();
        while let Some(row) = rows.next()? {
            let bytes = row.get_ref(5)?.as_blob_or_null()?;
            // Other dimensions than the model has: of no use.
            let vector = bytes.filter(|bytes| bytes.len() == self.dimensions + 4);
            let vector = vector.and_then(Vector::from_bytes);
            let key: i64 = row.get(1)?;
            let slot = Slot {
                source: row.get(0)?,
                words: row.get(4)?,
                page: row.get(2)?,
                layout: word(row, 3, LayoutType::from_word)?,
                languages: Languages::from_bits(row.get(6)?),
                scale: vector.as_ref().map(|vector| vector.scale),
            };
            let at = match self.keys[..known].binary_search(&key) {
                Ok(at) => at,
                Err(_) => {
                    self.keys.push(key);
                    self.slots.push(slot);
                    self.parts.resize(self.parts.len() + self.dimensions, 0);
                    self.keys.len() - 1
                }
            };
            self.slots[at] = slot;
            let parts = &mut self.parts[at * self.dimensions..(at + 1) * self.dimensions];
            match vector {
                Some(vector) => parts.copy_from_slice(&vector.parts),
                None => parts.fill(0),
            }
        }
        Ok(())
    }

    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        order.sort_unstable_by_key(|slot| self.keys[*slot]);
        let mut parts = Vec::with_capacity(self.parts.len());
        for slot in &order {
            parts.extend_from_slice(self.vector(*slot));
        }
        self.keys = order.iter().map(|slot| self.keys[*slot]).collect();
        self.slots = order.iter().map(|slot| self.slots[*slot]).collect();
        self.parts = parts;
    }
}
