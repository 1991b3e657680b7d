//! The invariants of a world when everything is over, whatever happened in it.

use std::collections::{BTreeMap, BTreeSet};

use consign_engine::{
    Effect, Key, Nanos, RunId,
    journal::{Body, Paid, Record},
    store::Row,
};

use super::forks::{self, forked, origin};
use crate::world::World;

/// Checks everything. Says how each run ended, oldest first.
pub(super) async fn check(world: &World) -> Vec<String> {
    let mut rows = world.rows().await;
    rows.reverse();
    let mut ends = Vec::new();
    for row in &rows {
        let journal = world.journal(&row.id).await;
        assert!(row.status.is_closed(), "run {} is {}", row.id, row.status);
        world.audit().see_closed(&row.id);
        nothing_is_lost(world, &row.id, &journal);
        world.proves(&row.id).await;
        the_books_are_right(row, &journal);
        effects_happened_once(world, &row.id, &journal);
        forks::check(world, &row.id, &journal).await;
        ends.push(end(&journal));
    }
    let account = world.account("ada").await;
    assert_eq!(account.reserved, Nanos::ZERO, "Ada has money held back for nothing");
    assert_eq!(account.spent, rows.iter().map(|row| row.figures.spent).sum(), "Ada's account");
    assert!(world.inbox().await.is_empty(), "something is still asked: {:?}", world.inbox().await);
    ends
}

/// Every event that was acknowledged is there, as it was.
fn nothing_is_lost(world: &World, run: &RunId, journal: &[Record]) {
    for (seq, hash) in world.audit().written(run) {
        let kept = journal.iter().find(|record| record.seq == seq).map(|record| record.hash);
        assert_eq!(kept, Some(hash), "event {seq} of run {run} is not what was acknowledged");
    }
}

/// What was paid is what was spent, and nothing is held back.
fn the_books_are_right(row: &Row, journal: &[Record]) {
    let paid: Nanos = journal.iter().filter_map(|record| paid(&body(record))).sum();
    assert_eq!(row.figures.spent, paid, "what run {} has spent", row.id);
    assert_eq!(row.figures.reserved, Nanos::ZERO, "what run {} holds back", row.id);
}

/// What a second time would do harm to happened at most once; and nothing that was completed did
/// not happen.
#[expect(clippy::wildcard_enum_match_arm, reason = "only calls have effects")]
fn effects_happened_once(world: &World, run: &RunId, journal: &[Record]) {
    let effects = world.outside().effects();
    let known = |key: &Key| format!("{}:{key}", origin(journal, run, key));
    let times = |key: &Key| effects.get(&known(key)).copied().unwrap_or(0);
    let mut kinds = BTreeMap::new();
    for (key, call) in forked(journal).map(|forked| forked.calls).unwrap_or_default() {
        if call.unknown {
            kinds.insert(key, call.effect);
        }
    }
    let (mut ended, mut answered) = (BTreeSet::new(), BTreeSet::new());
    for record in journal {
        match body(record) {
            Body::CallStarted(call) => {
                let before = kinds.insert(call.key.clone(), call.effect);
                assert_eq!(before, None, "{} of run {run} began twice", call.key);
            }
            // Whoever answers from outside has done it there.
            Body::Answered(answer) => {
                answered.insert(answer.key);
            }
            Body::CallCompleted(call) => {
                assert!(ended.insert(call.key.clone()), "{} ended twice", call.key);
                let happened = times(&call.key) > 0 || answered.contains(&call.key);
                assert!(happened, "{} never happened", call.key);
            }
            _ => {}
        }
    }
    for (key, kind) in kinds {
        match kind {
            Effect::Pure | Effect::Idempotent => {}
            Effect::Keyed | Effect::Unsafe => {
                assert!(times(&key) <= 1, "{key} of run {run} happened {} times", times(&key));
            }
        }
    }
}

fn end(journal: &[Record]) -> String {
    match journal.last().map(body) {
        Some(Body::Succeeded(succeeded)) => format!("succeeded: {:?}", succeeded.output),
        Some(Body::Failed(failed)) => format!("failed: {}", failed.fault.code),
        Some(Body::Cancelled(cancelled)) => format!("cancelled by {}", cancelled.by),
        other => panic!("a run ended with {other:?}"),
    }
}

pub(super) fn body(record: &Record) -> Body {
    let body = record.body().expect("an event can be read");
    body.expect("nothing is redacted here")
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all others cost nothing")]
fn paid(body: &Body) -> Option<Nanos> {
    let Paid { nanos, .. } = match body {
        Body::AttemptFailed(attempt) => attempt.paid,
        Body::AttemptLost(attempt) => attempt.paid,
        Body::CallCompleted(call) => call.paid,
        Body::CallFailed(call) => call.paid,
        Body::CallCancelled(call) => call.paid,
        _ => return None,
    };
    Some(nanos)
}
