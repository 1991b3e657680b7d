//! Reads the inbox: single asks, and pages of open ones.

use consign_engine::{
    AgentName, AskKind, At, Key, RunId,
    store::{InboxQuery, Interaction},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::sqlite::sql::{ask_state, data, int, word};

const ASKS: &str = "SELECT id, ask.key, kind, prompt, schema, deadline, fallback, opened_at, \
    state, code, agent FROM interactions AS ask JOIN runs ON runs.key = run";

pub(crate) fn interaction(
    db: &Connection,
    run: &RunId,
    key: &Key,
) -> rusqlite::Result<Option<Interaction>> {
    let sql = format!("{ASKS} WHERE id = ?1 AND ask.key = ?2");
    db.prepare_cached(&sql)?.query_row([run.as_str(), key.as_str()], ask).optional()
}

/// Open asks, oldest first. A page may begin after an ask that is no longer open.
pub(crate) fn inbox(db: &Connection, query: &InboxQuery) -> rusqlite::Result<Vec<Interaction>> {
    let after = match &query.after {
        Some((run, key)) => place(db, run, key)?,
        None => None,
    };
    let (opened_at, place) = after.unwrap_or((i64::MIN, i64::MIN));
    let of_run = if query.run.is_some() { "id = ?4" } else { "?4 IS NULL" };
    let of_kind = if query.kind.is_some() { "kind = ?5" } else { "?5 IS NULL" };
    let of_agent = if query.agent.is_some() {
        "(agent = ?6 OR substr(agent, 1, length(?6) + 1) = ?6 || '#')"
    } else {
        "?6 IS NULL"
    };
    let sql = format!(
        "{ASKS} WHERE state = 'open' AND (opened_at, place) > (?1, ?2) AND {of_run} AND {of_kind} \
         AND {of_agent} ORDER BY opened_at, place LIMIT ?3"
    );
    let mut find = db.prepare_cached(&sql)?;
    let run = query.run.as_ref().map(RunId::as_str);
    let kind = query.kind.map(AskKind::as_str);
    let (most, agent) = (int(query.most as u64), &query.agent);
    find.query_map(params![opened_at, place, most, run, kind, agent], ask)?.collect()
}

fn place(db: &Connection, run: &RunId, key: &Key) -> rusqlite::Result<Option<(i64, i64)>> {
    let sql = "SELECT opened_at, place FROM interactions AS ask JOIN runs ON runs.key = run \
               WHERE id = ?1 AND ask.key = ?2";
    let found = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    db.prepare_cached(sql)?.query_row([run.as_str(), key.as_str()], found).optional()
}

fn ask(row: &Row<'_>) -> rusqlite::Result<Interaction> {
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
    })
}
