//! Says which runs a worker gets next, so that no owner waits for another's queue.
//!
//! The owner with the fewest runs in the hands of workers comes first. Of several, it is the one whose name
//! follows that of the owner who was served last, in a circle. An owner's own runs go by priority, then age:
//! priority does not count between owners.
//!
//! However many owners wait, only the next [`OWNERS`] of the circle are looked at, or as many as runs are wanted.
//! Runs whose instant has come are looked at in the order of their instants, up to [`DUE`] of them; among these
//! and the queued ones, owners take turns as well.

use std::collections::{BTreeMap, BTreeSet};

use consign_engine::{At, WorkerId, store::Wanted};
use rusqlite::{Connection, OptionalExtension};

use super::{Queue, Ready};
use crate::sqlite::{
    fail::Halt,
    sql::{count, int},
};

/// How many owners are looked at, at least, to find those with the fewest runs.
const OWNERS: usize = 16;

/// How many runs that are due are looked at, at least.
const DUE: usize = 1_000;

/// Up to how many runs of an owner in the hands of workers are counted.
const HELD: u64 = 1_000;

/// Up to `most` runs that can go on, in the order in which they are to be claimed. `is_gone` says whether the
/// command of a foreground run is.
pub(crate) fn ready(
    db: &Connection,
    wanted: &Wanted,
    most: usize,
    now: At,
    is_gone: impl Fn(&WorkerId) -> Result<bool, Halt>,
) -> Result<Vec<Ready>, Halt> {
    let queue = Queue::new(db, wanted, &is_gone);
    let served = served(db)?;
    let mut due = BTreeMap::<_, Vec<_>>::new();
    for run in queue.due(now, most.max(DUE))? {
        due.entry(run.owner.to_string()).or_default().push(run);
    }
    let mut owners = queue.owners_after(&served, most.max(OWNERS))?;
    owners.extend(due.keys().map(|owner| (*owner <= served, owner.clone())));
    // Alone, an owner need not be compared with others.
    let is_alone = owners.len() < 2;
    let share = most.div_ceil(owners.len().max(1));
    let mut line = BTreeMap::new();
    for (has_passed, owner) in owners {
        let held = if is_alone { 0 } else { held(db, &owner)? };
        let lot = Lot { due: due.remove(&owner).unwrap_or_default(), ..Lot::default() };
        line.insert((held, has_passed, owner), lot);
    }
    let mut chosen = Vec::new();
    while chosen.len() < most
        && let Some(((held, has_passed, owner), mut lot)) = line.pop_first()
    {
        if let Some(run) = lot.next(&queue, &owner, share)? {
            chosen.push(run);
            line.insert((held + 1, has_passed, owner), lot);
        }
    }
    Ok(chosen)
}

/// The runs of an owner, in their order, read as far as they are needed.
#[derive(Default)]
struct Lot {
    due: Vec<Ready>,
    runs: Vec<Ready>,
    given: usize,
    /// How many were asked for.
    most: usize,
}

impl Lot {
    fn next(
        &mut self,
        queue: &Queue<'_>,
        owner: &str,
        share: usize,
    ) -> Result<Option<Ready>, Halt> {
        if self.given == self.most {
            // Twice as many each time: so what is read again is no more than what is read.
            self.most = self.most.saturating_mul(2).max(share);
            self.runs = queue.queued_of(owner, self.most)?;
            self.runs.extend(self.due.iter().cloned());
            self.runs.sort_by_key(Ready::rank);
            self.runs.truncate(self.most);
        }
        let run = self.runs.get(self.given).cloned();
        self.given += 1;
        Ok(run)
    }
}

impl Queue<'_> {
    /// Up to `most` owners who have queued runs: those after this one, and then those from the first name up
    /// to it, which have passed.
    fn owners_after(&self, last: &str, most: usize) -> Result<BTreeSet<(bool, String)>, Halt> {
        let mut owners = BTreeSet::new();
        for placement in &self.placements {
            let (mut has_passed, mut from) = (false, after(last));
            let mut found = 0;
            while found < most {
                match self.owner_from(placement, &from)? {
                    Some(owner) if has_passed && owner.as_str() > last => break,
                    Some(owner) => {
                        from = after(&owner);
                        owners.insert((has_passed, owner));
                        found += 1;
                    }
                    None if has_passed => break,
                    None => (has_passed, from) = (true, String::new()),
                }
            }
        }
        Ok(owners.into_iter().take(most).collect())
    }
}

/// The first name that can follow.
fn after(name: &str) -> String {
    format!("{name}\0")
}

/// The owner of the run that was claimed last, or no name.
fn served(db: &Connection) -> rusqlite::Result<String> {
    let mut find = db.prepare_cached("SELECT owner FROM served")?;
    let found = find.query_row([], |row| row.get(0)).optional()?;
    Ok(found.unwrap_or_default())
}

/// How many runs of an owner are in the hands of workers.
fn held(db: &Connection, owner: &str) -> rusqlite::Result<u64> {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM runs INDEXED BY runs_held_of_owner \
               WHERE worker IS NOT NULL AND owner = ?1 LIMIT ?2)";
    db.prepare_cached(sql)?.query_row((owner, int(HELD)), |row| count(row, 0))
}
