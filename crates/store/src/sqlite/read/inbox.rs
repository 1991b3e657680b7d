//! Reads the inbox: single asks, and pages of open ones.

use consign_engine::{
    Actor, AgentName, AskKind, At, Key, Owner, RunId,
    store::{InboxQuery, Interaction},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::sqlite::sql::{ask_state, data, int, word};

const ASKS: &str = "SELECT id, ask.key, kind, prompt, schema, deadline, fallback, opened_at, \
    state, code, agent, answered_by, answered_at FROM interactions AS ask \
    JOIN runs ON runs.key = run AND NOT redacted";

pub(crate) fn interaction(
    db: &Connection,
    run: &RunId,
    key: &Key,
) -> rusqlite::Result<Option<Interaction>> {
    let sql = format!("{ASKS} WHERE id = ?1 AND ask.key = ?2");
    db.prepare_cached(&sql)?.query_row([run.as_str(), key.as_str()], ask).optional()
}

/// Open asks, oldest first; or answered ones, newest first. A page may begin after an ask that is no longer open.
pub(crate) fn inbox(db: &Connection, query: &InboxQuery) -> rusqlite::Result<Vec<Interaction>> {
    let after = match &query.after {
        Some((run, key)) => place(db, run, key, query.answered)?,
        None => None,
    };
    let (which, first) = if query.answered {
        ("state = 'answered' AND (answered_at, place) < (?1, ?2)", (i64::MAX, i64::MAX))
    } else {
        ("state = 'open' AND (opened_at, place) > (?1, ?2)", (i64::MIN, i64::MIN))
    };
    let order = if query.answered { "answered_at DESC, place DESC" } else { "opened_at, place" };
    let (instant, place) = after.unwrap_or(first);
    let of_owner = if query.owner.is_some() { "owner = ?7" } else { "?7 IS NULL" };
    let in_time =
        if query.open_at.is_some() { "(deadline IS NULL OR deadline > ?8)" } else { "?8 IS NULL" };
    let of_run = if query.run.is_some() { "id = ?4" } else { "?4 IS NULL" };
    let of_kind = if query.kind.is_some() { "kind = ?5" } else { "?5 IS NULL" };
    let of_agent = if query.agent.is_some() {
        "(agent = ?6 OR substr(agent, 1, length(?6) + 1) = ?6 || '#')"
    } else {
        "?6 IS NULL"
    };
    let sql = format!(
        "{ASKS} WHERE {which} AND {of_run} AND {of_kind} AND {of_agent} AND {of_owner} \
         AND {in_time} ORDER BY {order} LIMIT ?3"
    );
    let mut find = db.prepare_cached(&sql)?;
    let run = query.run.as_ref().map(RunId::as_str);
    let kind = query.kind.map(AskKind::as_str);
    let (most, agent) = (int(query.most as u64), &query.agent);
    let owner = query.owner.as_ref().map(Owner::as_str);
    let open_at = query.open_at.map(|at| at.0);
    let values = params![instant, place, most, run, kind, agent, owner, open_at];
    find.query_map(values, ask)?.collect()
}

fn place(
    db: &Connection,
    run: &RunId,
    key: &Key,
    answered: bool,
) -> rusqlite::Result<Option<(i64, i64)>> {
    let instant = if answered { "coalesce(answered_at, opened_at)" } else { "opened_at" };
    let sql = format!(
        "SELECT {instant}, place FROM interactions AS ask JOIN runs ON runs.key = run \
         WHERE id = ?1 AND ask.key = ?2"
    );
    let found = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    db.prepare_cached(&sql)?.query_row([run.as_str(), key.as_str()], found).optional()
}

fn ask(row: &Row<'_>) -> rusqlite::Result<Interaction> {
    let answered_by = row.get::<_, Option<String>>(11)?.map(Actor::from);
    let answered_at = row.get::<_, Option<i64>>(12)?.map(At);
    let has_default = row.get_ref(6)?.as_str_or_null().is_ok_and(|text| text.is_some());
    Ok(Interaction {
        run: row.get::<_, String>(0)?.into(),
        key: row.get::<_, String>(1)?.into(),
        kind: word(row, 2, AskKind::from_word)?,
        prompt: row.get(3)?,
        schema: data(row, 4)?,
        deadline: row.get::<_, Option<i64>>(5)?.map(At),
        default: if has_default { Some(data(row, 6)?) } else { None },
        opened_at: At(row.get(7)?),
        state: word(row, 8, ask_state)?,
        code: row.get(9)?,
        agent: row.get::<_, Option<String>>(10)?.map(AgentName::from),
        answered: answered_by.zip(answered_at),
    })
}
