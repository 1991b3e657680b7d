//! Reads conversations and what was said in them.

use consign_engine::{At, Owner, RunId};
use consign_knowledge::conversation::{Conversation, LastTurn, Listed, Message, SessionQuery};
use rusqlite::{Connection, OptionalExtension, Row, params, types::Type};

use crate::sqlite::sql::data;

pub(crate) fn conversation(
    db: &Connection,
    owner: &Owner,
    session: &str,
) -> rusqlite::Result<Option<Conversation>> {
    let sql = "SELECT owner, session, id, turns, began_at, ended_at, plan, context, preferences, marks \
               FROM conversations WHERE owner = ?1 AND session = ?2";
    let mut find = db.prepare_cached(sql)?;
    find.query_row(params![owner.as_str(), session], read_conversation).optional()
}

pub(crate) fn messages(
    db: &Connection,
    owner: &Owner,
    session: &str,
    id: &str,
    most: usize,
) -> rusqlite::Result<Vec<Message>> {
    let sql = "SELECT role, content, at FROM messages WHERE conversation = \
               (SELECT key FROM conversations WHERE owner = ?1 AND session = ?2 AND id = ?3) \
               ORDER BY number DESC LIMIT ?4";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut find = db.prepare_cached(sql)?;
    let found = find.query_map(params![owner.as_str(), session, id, most], |row| {
        Ok(Message { role: row.get(0)?, content: row.get(1)?, at: At(row.get(2)?) })
    })?;
    let mut newest_first = found.collect::<rusqlite::Result<Vec<_>>>()?;
    newest_first.reverse();
    Ok(newest_first)
}

pub(crate) fn conversations(
    db: &Connection,
    owner: &Owner,
    query: &SessionQuery,
) -> rusqlite::Result<Vec<Listed>> {
    let sql = "SELECT session, turns, began_at, ended_at FROM conversations \
               WHERE owner = ?1 AND (?2 IS NULL OR (ended_at, session) < (?2, ?3)) \
               ORDER BY ended_at DESC, session DESC LIMIT ?4";
    let (at, session) = match &query.after {
        Some((at, session)) => (Some(at.0), Some(session)),
        None => (None, None),
    };
    let most = i64::try_from(query.most).unwrap_or(i64::MAX);
    let mut find = db.prepare_cached(sql)?;
    let found = find.query_map(params![owner.as_str(), at, session, most], |row| {
        Ok(Listed {
            session: row.get(0)?,
            turns: row.get(1)?,
            began_at: At(row.get(2)?),
            ended_at: At(row.get(3)?),
        })
    })?;
    found.collect()
}

pub(crate) fn runs_of_conversation(
    db: &Connection,
    owner: &Owner,
    session: &str,
) -> rusqlite::Result<Vec<RunId>> {
    let sql = "SELECT run FROM turns WHERE conversation = \
               (SELECT key FROM conversations WHERE owner = ?1 AND session = ?2) ORDER BY run";
    let mut find = db.prepare_cached(sql)?;
    find.query_map(params![owner.as_str(), session], run)?.collect()
}

pub(crate) fn to_redact(db: &Connection, most: usize) -> rusqlite::Result<Vec<RunId>> {
    let sql = "SELECT run FROM redactions ORDER BY run LIMIT ?1";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    db.prepare_cached(sql)?.query_map([most], run)?.collect()
}

fn run(row: &Row<'_>) -> rusqlite::Result<RunId> {
    row.get::<_, String>(0).map(RunId::new)
}

fn read_conversation(row: &Row<'_>) -> rusqlite::Result<Conversation> {
    let or_none = |column: usize| match row.get_ref(column)?.data_type() {
        Type::Null => Ok(None),
        Type::Integer | Type::Real | Type::Text | Type::Blob => data(row, column).map(Some),
    };
    Ok(Conversation {
        owner: Owner::new(row.get::<_, String>(0)?),
        session: row.get(1)?,
        id: row.get(2)?,
        turns: row.get(3)?,
        began_at: At(row.get(4)?),
        ended_at: At(row.get(5)?),
        last: LastTurn { plan: or_none(6)?, context: data(row, 7)? },
        preferences: data(row, 8)?,
        marks: or_none(9)?,
    })
}
