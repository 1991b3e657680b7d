//! A search: filters, words, vectors, and what the domain makes of them.

use std::{
    collections::HashSet,
    sync::{PoisonError, RwLockWriteGuard},
};

use consign_engine::Owner;
use consign_knowledge::{Ask, Found, Hit, Signals, rank, terms};
use rusqlite::Connection;

use super::{
    Shelves, Tokens, fetch,
    list::{self, ShelfRow},
    postings,
    shelf::Shelf,
};
use crate::sqlite::fail::Halt;

/// Searches at the moment of the transaction. Nothing, if the shelf in memory is of a later moment: the caller
/// looks again, with a new transaction. At the last time, `alone`, the shelf is read anew for this search only.
pub(super) fn find(
    db: &Connection,
    shelves: &Shelves,
    owner: &Owner,
    ask: &Ask,
    alone: bool,
) -> Result<Option<Found>, Halt> {
    let Some(row) = list::shelf(db, owner)? else { return Ok(Some(Found::default())) };
    let tokens = Tokens::of(owner.clone(), row.secret);
    let model = ask.vector.as_ref().map(|vector| vector.model.as_str());
    let dimensions = ask.vector.as_ref().map_or(0, |vector| vector.query.dimensions());
    if alone {
        let mut shelf = Shelf::of(model, dimensions);
        shelf.refresh(db, &row)?;
        return Ok(Some(look(db, &shelf, &row, &tokens, ask)?));
    }
    let kept = shelves.open(row.key, model, dimensions);
    let mut shelf = kept.read().unwrap_or_else(PoisonError::into_inner);
    if shelf.changes < row.changes {
        drop(shelf);
        let mut writing = kept.write().unwrap_or_else(PoisonError::into_inner);
        if writing.changes < row.changes {
            if let Err(error) = writing.refresh(db, &row) {
                *writing = Shelf::of(model, dimensions);
                shelves.forget(row.key, model);
                return Err(error.into());
            }
            shelves.note(row.key, model, writing.bytes());
        }
        shelf = RwLockWriteGuard::downgrade(writing);
    }
    if shelf.changes != row.changes {
        return Ok(None);
    }
    Ok(Some(look(db, &shelf, &row, &tokens, ask)?))
}

fn look(
    db: &Connection,
    shelf: &Shelf,
    row: &ShelfRow,
    tokens: &Tokens,
    ask: &Ask,
) -> rusqlite::Result<Found> {
    let (progress, languages) = (shelf.progress(), shelf.languages());
    let words = Words::of(db, shelf, tokens, ask)?;
    let rarities = words.rarities.clone();
    let unseen = shelf.totals().rarity(0);
    let nothing = Found { progress, languages, rarities, unseen, ..Found::default() };
    let allowed = match allowed(db, shelf, row, ask)? {
        Some(allowed) if allowed.is_empty() => return Ok(nothing),
        allowed => allowed,
    };
    let judge = ask.judge();
    let (mut by_words, mut by_vector) = (Vec::new(), Vec::new());
    let mut total = 0;
    let mut consider = |slot: usize| {
        let signals = words.signals(shelf, ask, slot);
        total += u64::from(judge.finds(&signals));
        if signals.bm25 > 0.0 {
            by_words.push((signals.bm25, slot));
        }
        if let Some(cosine) = signals.cosine {
            by_vector.push((f64::from(cosine), slot));
        }
    };
    match &allowed {
        Some(allowed) => allowed.iter().for_each(|slot| consider(*slot)),
        None => (0..shelf.keys.len()).for_each(&mut consider),
    }
    let most = ask.candidates();
    let slots: HashSet<usize> =
        best(shelf, by_words, most).chain(best(shelf, by_vector, most)).collect();
    let candidates = slots.into_iter().filter_map(|slot| {
        let named = (shelf.chunk_id(slot)?, slot);
        Some((named, words.signals(shelf, ask, slot)))
    });
    let ranked = rank(ask, candidates.collect());
    let hits = ranked.into_iter().map(|((id, slot), relevance)| {
        let chunk = fetch::chunk_of(db, shelf.slots[slot].source, id.index)?;
        Ok(Hit { chunk, relevance })
    });
    let hits = hits.collect::<rusqlite::Result<_>>()?;
    Ok(Found { hits, total, ..nothing })
}

/// The slots that pass the filters, in order; nothing where there are no filters.
fn allowed(
    db: &Connection,
    shelf: &Shelf,
    row: &ShelfRow,
    ask: &Ask,
) -> rusqlite::Result<Option<Vec<usize>>> {
    if ask.filters.is_empty() {
        return Ok(None);
    }
    let mut sources: Option<HashSet<i64>> = None;
    for (name, values) in ask.filters.of_document() {
        let found: HashSet<i64> = list::labelled(db, row.key, name, values)?.into_iter().collect();
        sources = Some(match sources {
            Some(sources) => sources.intersection(&found).copied().collect(),
            None => found,
        });
    }
    let passes = |slot: &usize| {
        let slot = &shelf.slots[*slot];
        sources.as_ref().is_none_or(|sources| sources.contains(&slot.source))
            && ask.filters.allow_chunk(slot.page, slot.layout)
    };
    Ok(Some((0..shelf.keys.len()).filter(passes).collect()))
}

/// What the words of the question say for each slot.
struct Words {
    bm25: Vec<f64>,
    /// The rarities of the terms that it has.
    covered: Vec<f64>,
    /// The rarities of all terms.
    all: f64,
    rarities: Vec<f64>,
}

impl Words {
    fn of(db: &Connection, shelf: &Shelf, tokens: &Tokens, ask: &Ask) -> rusqlite::Result<Self> {
        let (slots, totals) = (shelf.keys.len(), shelf.totals());
        let (bm25, covered) = (vec![0.0; slots], vec![0.0; slots]);
        let mut words = Self { bm25, covered, all: 0.0, rarities: Vec::new() };
        for term in terms(&ask.question, shelf.languages()) {
            let list = postings::of_term(db, tokens, &term)?;
            let rarity = totals.rarity(list.len() as u64);
            words.all += rarity;
            words.rarities.push(rarity);
            let mut slot = 0;
            for (chunk, times) in list {
                // Both stand in the order of keys.
                slot += shelf.keys[slot..].partition_point(|key| *key < chunk);
                if shelf.keys.get(slot) == Some(&chunk) {
                    words.bm25[slot] += totals.score(rarity, times, shelf.slots[slot].words);
                    words.covered[slot] += rarity;
                }
            }
        }
        Ok(words)
    }

    fn signals(&self, shelf: &Shelf, ask: &Ask, slot: usize) -> Signals {
        let covered = self.covered[slot];
        let cosine = ask.vector.as_ref().and_then(|vector| {
            Some(vector.query.cosine(shelf.slots[slot].scale?, shelf.vector(slot)))
        });
        let coverage = if covered > 0.0 { covered / self.all } else { 0.0 };
        let languages = shelf.slots[slot].languages;
        let foreign = ask.vector.as_ref().is_some_and(|of| of.calibration.is_foreign(languages));
        Signals { bm25: self.bm25[slot], coverage, cosine, foreign }
    }
}

/// The slots with the highest scores; of equals, those with the smaller names.
fn best(
    shelf: &Shelf,
    mut scored: Vec<(f64, usize)>,
    most: usize,
) -> impl Iterator<Item = usize> + use<> {
    if scored.len() > most {
        let order = |(a, x): &(f64, usize), (b, y): &(f64, usize)| {
            b.total_cmp(a).then_with(|| shelf.name(*x).cmp(&shelf.name(*y)))
        };
        scored.select_nth_unstable_by(most - 1, order);
        scored.truncate(most);
    }
    scored.into_iter().map(|(_, slot)| slot)
}
