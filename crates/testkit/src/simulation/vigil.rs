//! Checks progress once the troubles are over: nothing may be overdue for long.

use std::{collections::BTreeMap, time::Duration};

use consign_engine::{RunId, Seq, Status};
use tokio::time::Instant;

use super::world::World;

/// An agent that does not stop is waited for ten seconds.
const LONGEST: Duration = Duration::from_secs(20);
/// A worker that could not write a run tries it again after half a minute, by a clock that may have
/// been a minute ahead.
const LONGEST_ASLEEP: Duration = Duration::from_secs(120);

#[derive(Default)]
pub(super) struct Vigil(BTreeMap<RunId, (Seq, String, Instant)>);

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
                if let Some(late) = late {
                    let longest = if kept.row.wake_at.is_some() { LONGEST_ASLEEP } else { LONGEST };
                    overdue.insert(id.clone(), (kept.row.seq, late, longest));
                }
            }
            overdue
        });
        self.0.retain(|id, (seq, late, _)| {
            overdue.get(id).is_some_and(|(newest, still, _)| newest == seq && still == late)
        });
        for (id, (seq, late, longest)) in overdue {
            let (_, late, since) = self.0.entry(id.clone()).or_insert((seq, late, now));
            if now.duration_since(*since) > longest {
                world.fail(format!("run {id} has not moved for {longest:?}: {late}"));
            }
        }
    }
}
