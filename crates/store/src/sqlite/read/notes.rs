//! Reads notes that outlive a run.

use consign_engine::{At, Data, Owner, session_memory::Note};
use rusqlite::{Connection, params};

/// The newest notes of a topic, oldest first.
pub(crate) fn notes(
    db: &Connection,
    owner: &Owner,
    topic: &str,
    most: usize,
) -> rusqlite::Result<Vec<Note>> {
    let sql = "SELECT name, text, at FROM notes WHERE owner = ?1 AND topic = ?2 \
               ORDER BY at DESC, name DESC LIMIT ?3";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut found = db.prepare_cached(sql)?;
    let found = found.query_map(params![owner.as_str(), topic, most], |row| {
        let text = Data::restore(row.get(1)?).unwrap_or_else(Data::null);
        Ok(Note { name: row.get(0)?, text, at: At(row.get(2)?) })
    })?;
    let mut notes = found.collect::<rusqlite::Result<Vec<_>>>()?;
    notes.reverse();
    Ok(notes)
}
