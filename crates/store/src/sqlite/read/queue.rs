//! Finds runs that can be claimed, and the workers that hold runs.

use consign_engine::{
    At, RunId, WorkerId,
    store::{Placement, Wanted},
};
use rusqlite::{Connection, params};

use crate::sqlite::{fail::Halt, sql::int};

/// A run that can be claimed.
pub(crate) struct Ready {
    pub(crate) key: i64,
    pub(crate) id: RunId,
    priority: i32,
    keeper: Option<WorkerId>,
}

/// Whether a worker may have a run: its programs with their versions, and its place besides anywhere.
const WANTED: &str = "(placement = 'anywhere' OR placement = ?2) \
    AND version <= (SELECT newest FROM known WHERE name = workflow)";

/// Whether it may have a foreground run, once the command of that is gone.
const FOREGROUND: &str = "placement = 'foreground' AND ?2 IS ?2 \
    AND version <= (SELECT newest FROM known WHERE name = workflow)";

/// The table of workflows that [`WANTED`] reads for each run. As a table, so that the JSON text is
/// parsed once.
const KNOWN: &str =
    "WITH known (name, newest) AS MATERIALIZED (SELECT key, value FROM json_each(?1))";

/// How many waiting runs that are due are looked at to find the most urgent.
const DUE: usize = 1_000;

/// Up to `most` runs that can go on: by priority, then age. Foreground runs are among them whose command is
/// gone, as `is_gone` says of its worker.
pub(crate) fn ready(
    db: &Connection,
    wanted: &Wanted,
    most: usize,
    now: At,
    is_gone: impl Fn(&WorkerId) -> Result<bool, Halt>,
) -> Result<Vec<Ready>, Halt> {
    let mut ready = candidates(db, wanted, most, now, WANTED)?;
    for run in candidates(db, wanted, most.max(DUE), now, FOREGROUND)? {
        if run.keeper.as_ref().map_or(Ok(true), &is_gone)? {
            ready.push(run);
        }
    }
    ready.sort_by_key(|run| (std::cmp::Reverse(run.priority), run.key));
    ready.truncate(most);
    Ok(ready)
}

/// Runs that can go on: up to `most` of the queued ones, and of those whose instant has come.
fn candidates(
    db: &Connection,
    wanted: &Wanted,
    most: usize,
    now: At,
    which: &str,
) -> rusqlite::Result<Vec<Ready>> {
    let (workflows, place) = bound(wanted);
    let queued = format!(
        "{KNOWN} SELECT key, id, priority, keeper FROM runs INDEXED BY runs_to_claim \
         WHERE status = 'queued' AND interrupted = 0 AND {which} \
         ORDER BY priority DESC, key LIMIT ?3"
    );
    let due = format!(
        "{KNOWN} SELECT key, id, priority, keeper FROM runs INDEXED BY runs_to_wake \
         WHERE status = 'waiting' AND wake_at IS NOT NULL AND wake_at <= ?4 AND {which} \
         ORDER BY wake_at LIMIT ?3"
    );
    let read = |row: &rusqlite::Row<'_>| {
        let id = row.get::<_, String>(1)?.into();
        let keeper = row.get::<_, Option<String>>(3)?.map(WorkerId::from);
        Ok(Ready { key: row.get(0)?, id, priority: row.get(2)?, keeper })
    };
    let limit = |most: usize| int(most as u64);
    let mut ready = Vec::new();
    let mut queued = db.prepare_cached(&queued)?;
    for run in queued.query_map(params![workflows, place, limit(most)], read)? {
        ready.push(run?);
    }
    let mut due = db.prepare_cached(&due)?;
    for run in due.query_map(params![workflows, place, limit(most.max(DUE)), now.0], read)? {
        ready.push(run?);
    }
    Ok(ready)
}

/// Whether there is anything to claim.
pub(crate) fn is_ready(
    db: &Connection,
    wanted: &Wanted,
    now: At,
    is_gone: impl Fn(&WorkerId) -> Result<bool, Halt>,
) -> Result<bool, Halt> {
    let sql = format!(
        "{KNOWN} SELECT EXISTS (SELECT 1 FROM runs INDEXED BY runs_to_claim \
                        WHERE status = 'queued' AND interrupted = 0 AND {WANTED}) \
             OR EXISTS (SELECT 1 FROM runs INDEXED BY runs_to_wake WHERE status = 'waiting' \
                        AND wake_at IS NOT NULL AND wake_at <= ?3 AND {WANTED})"
    );
    let (workflows, place) = bound(wanted);
    let anywhere: bool =
        db.prepare_cached(&sql)?.query_row(params![workflows, place, now.0], |row| row.get(0))?;
    if anywhere {
        return Ok(true);
    }
    for run in candidates(db, wanted, DUE, now, FOREGROUND)? {
        if run.keeper.as_ref().map_or(Ok(true), &is_gone)? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) fn next_wake(db: &Connection, wanted: &Wanted) -> rusqlite::Result<Option<At>> {
    let sql = format!(
        "{KNOWN} SELECT min(wake_at) FROM runs INDEXED BY runs_to_wake \
         WHERE status = 'waiting' AND wake_at IS NOT NULL AND ({WANTED} OR {FOREGROUND})"
    );
    let (workflows, place) = bound(wanted);
    let next = |row: &rusqlite::Row<'_>| Ok(row.get::<_, Option<i64>>(0)?.map(At));
    db.prepare_cached(&sql)?.query_row(params![workflows, place], next)
}

fn bound(wanted: &Wanted) -> (String, Option<String>) {
    let workflows = serde_json::json!(wanted.workflows).to_string();
    (workflows, wanted.host.clone().map(|host| Placement::Host(host).to_string()))
}

/// Workers that hold runs, dead or alive.
pub(crate) fn held_by(db: &Connection) -> rusqlite::Result<Vec<WorkerId>> {
    let sql = "SELECT DISTINCT worker FROM runs WHERE worker IS NOT NULL";
    let mut find = db.prepare_cached(sql)?;
    let found = find.query_map([], |row| row.get::<_, String>(0).map(WorkerId::from))?;
    found.collect()
}

pub(crate) fn poked(db: &Connection, worker: &WorkerId) -> rusqlite::Result<Vec<RunId>> {
    let mut find = db.prepare_cached("SELECT id FROM runs WHERE poked = 1 AND worker = ?1")?;
    let found =
        find.query_map([worker.as_str()], |row| row.get::<_, String>(0).map(RunId::from))?;
    found.collect()
}
