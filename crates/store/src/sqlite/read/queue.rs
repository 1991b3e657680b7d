//! Finds runs that can be claimed, and the workers that hold runs.

use consign_engine::{
    At, RunId, WorkerId,
    store::{Placement, Wanted},
};
use rusqlite::{Connection, params};

use crate::sqlite::sql::int;

/// A run that can be claimed.
pub(crate) struct Ready {
    pub(crate) key: i64,
    pub(crate) id: RunId,
    priority: i32,
}

/// The condition for a worker to claim a run: it knows the workflow and its version, and it may run
/// where the run wants to.
const WANTED: &str = "placement <> 'foreground' AND (placement = 'anywhere' OR placement = ?2) \
    AND version <= (SELECT newest FROM known WHERE name = workflow)";

/// The table of workflows that [`WANTED`] reads for each run. As a table, so that the JSON text is
/// parsed once.
const KNOWN: &str =
    "WITH known (name, newest) AS MATERIALIZED (SELECT key, value FROM json_each(?1))";

/// How many waiting runs that are due are looked at to find the most urgent.
const DUE: usize = 1_000;

/// Up to `most` runs that can continue: by priority, then age.
pub(crate) fn ready(
    db: &Connection,
    wanted: &Wanted,
    most: usize,
    now: At,
) -> rusqlite::Result<Vec<Ready>> {
    let (workflows, place) = bound(wanted);
    let queued = format!(
        "{KNOWN} SELECT key, id, priority FROM runs INDEXED BY runs_to_claim \
         WHERE status = 'queued' AND {WANTED} ORDER BY priority DESC, key LIMIT ?3"
    );
    let due = format!(
        "{KNOWN} SELECT key, id, priority FROM runs INDEXED BY runs_to_wake \
         WHERE status = 'waiting' AND wake_at IS NOT NULL AND wake_at <= ?4 AND {WANTED} \
         ORDER BY wake_at LIMIT ?3"
    );
    let read = |row: &rusqlite::Row<'_>| {
        let id = row.get::<_, String>(1)?.into();
        Ok(Ready { key: row.get(0)?, id, priority: row.get(2)? })
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
    ready.sort_by_key(|run| (std::cmp::Reverse(run.priority), run.key));
    ready.truncate(most);
    Ok(ready)
}

/// Whether there is anything to claim.
pub(crate) fn is_ready(db: &Connection, wanted: &Wanted, now: At) -> rusqlite::Result<bool> {
    let sql = format!(
        "{KNOWN} SELECT EXISTS (SELECT 1 FROM runs INDEXED BY runs_to_claim \
                        WHERE status = 'queued' AND {WANTED}) \
             OR EXISTS (SELECT 1 FROM runs INDEXED BY runs_to_wake WHERE status = 'waiting' \
                        AND wake_at IS NOT NULL AND wake_at <= ?3 AND {WANTED})"
    );
    let (workflows, place) = bound(wanted);
    db.prepare_cached(&sql)?.query_row(params![workflows, place, now.0], |row| row.get(0))
}

pub(crate) fn next_wake(db: &Connection, wanted: &Wanted) -> rusqlite::Result<Option<At>> {
    let sql = format!(
        "{KNOWN} SELECT min(wake_at) FROM runs INDEXED BY runs_to_wake \
         WHERE status = 'waiting' AND wake_at IS NOT NULL AND {WANTED}"
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
