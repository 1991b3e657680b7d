//! Which chunks have the words of a question, and how often.

use std::collections::BTreeMap;

use consign_knowledge::Term;
use rusqlite::Connection;

use super::{Tokens, tokens::count_of};

/// The chunks that have a term in any of its forms: key and how often, by key.
pub(super) fn of_term(
    db: &Connection,
    tokens: &Tokens,
    term: &Term,
) -> rusqlite::Result<Vec<(i64, u32)>> {
    let mut lists = Vec::new();
    for word in term.alternatives() {
        lists.push(of_word(db, &tokens.token(word).to_text())?);
    }
    if lists.len() <= 1 {
        return Ok(lists.pop().unwrap_or_default());
    }
    let mut merged: BTreeMap<i64, u32> = BTreeMap::new();
    for (chunk, times) in lists.into_iter().flatten() {
        *merged.entry(chunk).or_default() += times;
    }
    Ok(merged.into_iter().collect())
}

/// FTS5 tells the chunks that have a word once, then those that have it twice, and so on.
fn of_word(db: &Connection, token: &str) -> rusqlite::Result<Vec<(i64, u32)>> {
    // After `z` comes nothing that an entry can have.
    let sql = "SELECT doc, term FROM word_uses WHERE term >= ?1 AND term < ?1 || '{'";
    let mut uses = db.prepare_cached(sql)?;
    let mut uses = uses.query([token])?;
    let mut list: Vec<(i64, u32)> = Vec::new();
    while let Some(row) = uses.next()? {
        let term = row.get_ref(1)?.as_bytes()?;
        // A count that cannot be read is damage; the chunk has the word all the same.
        list.push((row.get(0)?, count_of(term).unwrap_or(1)));
    }
    if !list.is_sorted() {
        list.sort_unstable();
    }
    Ok(list)
}
