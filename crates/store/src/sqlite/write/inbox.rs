//! Opens and ends asks in the inbox.

use consign_engine::{
    Key,
    journal::Record,
    store::{AskChange, AskState, Interaction},
};
use rusqlite::{Connection, params};

use crate::sqlite::sql::ask_word;

pub(super) fn change(db: &Connection, run: i64, change: &AskChange) -> rusqlite::Result<()> {
    match change {
        AskChange::Open(interaction) => open(db, run, interaction),
        AskChange::Expire(key) => end(db, run, key, AskState::Expired).map(drop),
        AskChange::Withdraw(key) => end(db, run, key, AskState::Withdrawn).map(drop),
    }
}

/// Opens an ask. An ask of the engine may come again under the same key, and replaces the old one.
fn open(db: &Connection, run: i64, ask: &Interaction) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO interactions \
               (run, key, kind, prompt, schema, deadline, fallback, opened_at, state, code, \
               agent) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    db.prepare_cached(sql)?.execute(params![
        run,
        ask.key.as_str(),
        ask.kind.as_str(),
        ask.prompt,
        ask.schema.as_str(),
        ask.deadline.map(|at| at.0),
        ask.default.as_ref().map(|data| data.as_str()),
        ask.opened_at.0,
        ask_word(ask.state),
        ask.code,
        ask.agent.as_deref(),
    ])?;
    Ok(())
}

/// Ends an ask with an answer, and keeps who gave it and when.
pub(super) fn answer(db: &Connection, run: i64, key: &Key, by: &Record) -> rusqlite::Result<()> {
    let sql = "UPDATE interactions SET state = 'answered', answered_by = ?3, answered_at = ?4 \
               WHERE run = ?1 AND key = ?2 AND state = 'open'";
    let values = params![run, key.as_str(), by.actor.as_str(), by.at.0];
    db.prepare_cached(sql)?.execute(values).map(drop)
}

/// Ends an ask. Says whether it was open.
fn end(db: &Connection, run: i64, key: &Key, to: AskState) -> rusqlite::Result<bool> {
    let sql = "UPDATE interactions SET state = ?1 WHERE run = ?2 AND key = ?3 AND state = 'open'";
    let ended = db.prepare_cached(sql)?.execute(params![ask_word(to), run, key.as_str()])?;
    Ok(ended > 0)
}

pub(super) fn is_open(db: &Connection, run: i64, key: &Key) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM interactions WHERE run = ?1 AND key = ?2 AND state = 'open'";
    db.prepare_cached(sql)?.exists(params![run, key.as_str()])
}

pub(super) fn withdraw_all(db: &Connection, run: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE interactions SET state = 'withdrawn' WHERE run = ?1 AND state = 'open'";
    db.prepare_cached(sql)?.execute([run])?;
    Ok(())
}
