//! The invariants of a fork and its parent. Nothing here believes what the fork says about its parent's calls.

use std::collections::{BTreeMap, BTreeSet};

use consign_engine::{
    Effect, Key, RunId, Seq,
    journal::{Body, CallCancelled, CallCompleted, Forked, Keeps, Record},
};

use super::invariants::body;
use crate::world::World;

/// Checks a run, if it is a fork of another one that is none itself.
pub(super) async fn check(world: &World, run: &RunId, journal: &[Record]) {
    let Some(forked) = forked(journal) else { return };
    let calls = calls(&world.journal(&forked.run).await, &forked);
    nothing_finished_is_repeated(&calls, journal);
    nothing_happened_in_both(world, &calls, run, &forked.run);
}

/// A call that the parent had begun at the place of the fork. A retry is at the end of its parent.
struct Begun {
    effect: Effect,
    finished: bool,
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only calls are looked at")]
fn calls(parent: &[Record], forked: &Forked) -> BTreeMap<Key, Begun> {
    let place: Seq = match forked.keeps {
        Keeps::UnderWay => forked.seq,
        Keeps::Finished => forked.until,
    };
    let mut calls = BTreeMap::new();
    for record in parent.iter().filter(|record| record.seq <= forked.until) {
        match body(record) {
            Body::CallStarted(call) if record.seq <= place => {
                calls.insert(call.key, Begun { effect: call.effect, finished: false });
            }
            Body::CallCompleted(CallCompleted { key, .. })
            | Body::CallCancelled(CallCancelled { key, output: Some(_), .. }) => {
                if let Some(begun) = calls.get_mut(&key) {
                    begun.finished = true;
                }
            }
            // It may be made again: that it has not worked is known.
            Body::CallFailed(call) => {
                calls.remove(&call.key);
            }
            _ => {}
        }
    }
    calls
}

/// What has a result in the parent is neither called again nor asked about.
#[expect(clippy::wildcard_enum_match_arm, reason = "only these begin something")]
fn nothing_finished_is_repeated(calls: &BTreeMap<Key, Begun>, journal: &[Record]) {
    let begun: BTreeSet<Key> = journal
        .iter()
        .filter_map(|record| match body(record) {
            Body::CallStarted(call) => Some(call.key),
            Body::Asked(ask) => ask.key.asks_outcome_of().map(|(of, _)| of),
            _ => None,
        })
        .collect();
    for key in calls.iter().filter(|(_, call)| call.finished).map(|(key, _)| key) {
        assert!(!begun.contains(key), "{key} was finished before the fork");
    }
}

/// What the parent began has its effect once in both together, if a second time would do harm.
fn nothing_happened_in_both(
    world: &World,
    calls: &BTreeMap<Key, Begun>,
    run: &RunId,
    parent: &RunId,
) {
    let effects = world.outside().effects();
    for (key, call) in calls {
        let times = [parent, run].map(|run| effects.get(&format!("{run}:{key}")).copied());
        let times: usize = times.into_iter().flatten().sum();
        match call.effect {
            Effect::Pure | Effect::Idempotent => {}
            Effect::Keyed | Effect::Unsafe => {
                assert!(times <= 1, "{key} happened {times} times in {parent} and its fork");
            }
        }
    }
}

/// How a run that was forked begins.
pub(super) fn forked(journal: &[Record]) -> Option<Forked> {
    match journal.get(1).map(body) {
        Some(Body::Forked(forked)) => Some(forked),
        Some(_) | None => None,
    }
}

/// The run under whose name the other side knows a call, as the run itself says.
pub(super) fn origin(journal: &[Record], run: &RunId, key: &Key) -> RunId {
    let begun = forked(journal).and_then(|forked| forked.calls.get(key).cloned());
    begun.map_or_else(|| run.clone(), |call| call.origin)
}
