//! Finds runs that can be claimed, and the workers that hold runs.
//!
//! What a look costs depends on how many runs it gives, not on how many are queued: `runs_to_claim` has them by
//! placement and owner, so that one step in it goes from an owner to the next. Only runs of workflows or versions
//! that the worker does not know are read in vain.

mod turn;

use std::ops::ControlFlow;

use consign_engine::{
    At, Owner, RunId, Version, WorkerId,
    store::{Placement, Wanted},
};
use rusqlite::{Connection, Params, Row, params};

pub(crate) use self::turn::ready;
use crate::sqlite::fail::Halt;

/// A run that can be claimed.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    pub(crate) key: i64,
    pub(crate) id: RunId,
    pub(crate) owner: Owner,
    priority: i32,
}

/// What [`Queue::suits`] reads of a run, before anything else that a query asks for.
const SUITS: &str = "workflow, version, placement, keeper, owner";

const QUEUED: &str =
    "runs INDEXED BY runs_to_claim WHERE status = 'queued' AND interrupted = 0 AND placement = ?1";

const WAITING: &str =
    "runs INDEXED BY runs_to_wake WHERE status = 'waiting' AND wake_at IS NOT NULL";

/// The runs that one worker may have.
struct Queue<'a> {
    db: &'a Connection,
    wanted: &'a Wanted,
    /// As words. A foreground run only once its command is gone.
    placements: Vec<String>,
    is_gone: &'a dyn Fn(&WorkerId) -> Result<bool, Halt>,
}

impl<'a> Queue<'a> {
    fn new(
        db: &'a Connection,
        wanted: &'a Wanted,
        is_gone: &'a dyn Fn(&WorkerId) -> Result<bool, Halt>,
    ) -> Self {
        let host = wanted.host.clone().map(Placement::Host);
        let placements = [Placement::Anywhere, Placement::Foreground].into_iter().chain(host);
        let placements = placements.map(|placement| placement.to_string()).collect();
        Self { db, wanted, placements, is_gone }
    }

    /// The first owner from this name on who has a queued run in the placement.
    fn owner_from(&self, placement: &str, name: &str) -> Result<Option<String>, Halt> {
        let sql = format!(
            "SELECT {SUITS} FROM {QUEUED} AND owner >= ?2 ORDER BY owner, priority DESC, key"
        );
        let mut found = None;
        self.each(&sql, params![placement, name], |row| {
            found = Some(row.get(4)?);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// The queued runs of an owner: by priority, then age.
    fn queued_of(&self, owner: &str, most: usize) -> Result<Vec<Ready>, Halt> {
        let sql = format!(
            "SELECT {SUITS}, key, id, priority FROM {QUEUED} AND owner = ?2 ORDER BY priority DESC, key"
        );
        let mut runs = Vec::new();
        for placement in &self.placements {
            runs.extend(self.up_to(most, &sql, params![placement, owner])?);
        }
        runs.sort_by_key(Ready::rank);
        runs.truncate(most);
        Ok(runs)
    }

    /// Runs whose instant has come: those that have waited for the longest time since.
    fn due(&self, now: At, most: usize) -> Result<Vec<Ready>, Halt> {
        let sql = format!(
            "SELECT {SUITS}, key, id, priority FROM {WAITING} AND wake_at <= ?1 ORDER BY wake_at"
        );
        self.up_to(most, &sql, params![now.0])
    }

    fn up_to(&self, most: usize, sql: &str, values: impl Params) -> Result<Vec<Ready>, Halt> {
        let mut runs = Vec::new();
        if most == 0 {
            return Ok(runs);
        }
        self.each(sql, values, |row| {
            let owner = row.get::<_, String>(4)?.into();
            let id = row.get::<_, String>(6)?.into();
            runs.push(Ready { key: row.get(5)?, id, owner, priority: row.get(7)? });
            Ok(if runs.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(runs)
    }

    /// Shows the rows of runs that suit the worker, until the caller has enough.
    fn each(
        &self,
        sql: &str,
        values: impl Params,
        mut show: impl FnMut(&Row<'_>) -> rusqlite::Result<ControlFlow<()>>,
    ) -> Result<(), Halt> {
        let mut find = self.db.prepare_cached(sql)?;
        let mut rows = find.query(values)?;
        while let Some(row) = rows.next()? {
            if self.suits(row)? && show(row)?.is_break() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether the worker may have a run: it knows the program in that version, and is at the run's place.
    fn suits(&self, row: &Row<'_>) -> Result<bool, Halt> {
        let (workflow, version): (String, Version) = (row.get(0)?, row.get(1)?);
        let placement: String = row.get(2)?;
        let is_known =
            self.wanted.workflows.get(&workflow).is_some_and(|newest| version <= *newest);
        if !is_known || !self.placements.contains(&placement) {
            return Ok(false);
        }
        let keeper: Option<String> = row.get(3)?;
        match keeper.filter(|_| placement == Placement::Foreground.to_string()) {
            Some(keeper) => (self.is_gone)(&keeper.into()),
            None => Ok(true),
        }
    }
}

impl Ready {
    /// Its place among the runs of its owner.
    fn rank(&self) -> impl Ord + use<> {
        (std::cmp::Reverse(self.priority), self.key)
    }
}

/// Whether there is anything to claim.
pub(crate) fn is_ready(
    db: &Connection,
    wanted: &Wanted,
    now: At,
    is_gone: impl Fn(&WorkerId) -> Result<bool, Halt>,
) -> Result<bool, Halt> {
    let queue = Queue::new(db, wanted, &is_gone);
    for placement in &queue.placements {
        if queue.owner_from(placement, "")?.is_some() {
            return Ok(true);
        }
    }
    Ok(!queue.due(now, 1)?.is_empty())
}

pub(crate) fn next_wake(db: &Connection, wanted: &Wanted) -> Result<Option<At>, Halt> {
    // A command that lives has its foreground run woken by itself, at the same instant.
    let queue = Queue::new(db, wanted, &|_| Ok(true));
    let mut next = None;
    queue.each(&format!("SELECT {SUITS}, wake_at FROM {WAITING} ORDER BY wake_at"), [], |row| {
        next = Some(At(row.get(5)?));
        Ok(ControlFlow::Break(()))
    })?;
    Ok(next)
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
