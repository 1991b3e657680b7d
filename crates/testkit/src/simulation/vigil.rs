//! Checks progress once the troubles are over: nothing may be overdue for long.

use std::{collections::BTreeMap, time::Duration};

use consign_engine::{Placement, RunId, Seq, Status};
use tokio::time::Instant;

use super::world::World;

/// An agent that does not stop is waited for ten seconds.
const LONGEST: Duration = Duration::from_secs(20);
/// A worker that could not write a run tries it again after half a minute, by a clock that may have
/// been a minute ahead. A command that was taken for dead and lives keeps the workers away from its run until the
/// call that it makes comes back, and it learns that the run is no longer its own.
const LONGEST_ASLEEP: Duration = Duration::from_secs(120);

#[derive(Default)]
pub(super) struct Vigil(BTreeMap<RunId, (Overdue, Instant)>);

/// Something that should have been done.
#[derive(PartialEq)]
struct Overdue {
    seq: Seq,
    what: String,
    /// How long it may take.
    longest: Duration,
}

impl Vigil {
    /// Looks for runs that should have moved on.
    pub(super) fn look(&mut self, world: &World) {
        let now = Instant::now();
        let overdue = world.memory.look(|state| {
            let model = world.model();
            let mut overdue = BTreeMap::new();
            for (id, kept) in state.runs() {
                let holder = kept.row.worker.as_ref();
                let orphan = kept.row.status == Status::Running
                    && holder.is_none_or(|worker| !state.is_alive(worker));
                let late = if orphan {
                    Some("it is running, and no living worker has it".to_owned())
                } else if kept.poked {
                    Some("its holder does not hear what it is told".to_owned())
                } else {
                    model.books.get(id).and_then(super::book::Book::overdue)
                };
                if let Some(what) = late {
                    let keeper = kept.keeper.as_ref();
                    let kept_away = kept.row.placement == Placement::Foreground
                        && holder.is_none()
                        && keeper.is_some_and(|keeper| state.is_alive(keeper));
                    let asleep = kept.row.wake_at.is_some() || kept_away;
                    let longest = if asleep { LONGEST_ASLEEP } else { LONGEST };
                    overdue.insert(id.clone(), Overdue { seq: kept.row.seq, what, longest });
                }
            }
            overdue
        });
        self.0.retain(|id, (late, _)| overdue.get(id) == Some(late));
        for (id, late) in overdue {
            let (Overdue { what, longest, .. }, since) =
                self.0.entry(id.clone()).or_insert((late, now));
            if now.duration_since(*since) > *longest {
                world.fail(format!("run {id} has not moved for {longest:?}: {what}"));
            }
        }
    }
}
