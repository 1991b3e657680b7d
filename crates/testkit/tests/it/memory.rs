//! What is always true of the store in memory.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use consign_engine::{
    Nanos, Status,
    journal::Chain,
    store::{AskState, Store, Tick},
};
use consign_testkit::{
    conformance::likeness::any_game_goes_as_on_the_model,
    draft::{DAWN, Draft, new_run},
    memory::{KeptRun, MemoryState, MemoryStore},
};

use super::InMemory;

#[test]
fn any_game_leaves_it_sound_after_each_write() {
    let writes = Arc::new(AtomicU32::new(0));
    any_game_goes_as_on_the_model(100, || {
        let writes = writes.clone();
        InMemory(MemoryStore::watched(Arc::new(move |state| {
            writes.fetch_add(1, Ordering::Relaxed);
            sound(state);
        })))
    });
    assert!(writes.load(Ordering::Relaxed) > 1_000, "most moves are not refused");
}

fn sound(state: &MemoryState) {
    let mut owed = BTreeMap::new();
    for run in state.runs().values() {
        let row = &run.row;
        assert_eq!(chained(run).head(), Some((row.seq, row.head)));
        assert_eq!(row.worker.is_some(), row.status == Status::Running);
        assert!(row.wake_at.is_none() || row.status == Status::Waiting);
        let (spent, reserved) = owed.entry(&row.owner).or_insert((Nanos::ZERO, Nanos::ZERO));
        *spent = *spent + row.figures.spent;
        *reserved = *reserved + row.figures.reserved;
    }
    for (owner, (spent, reserved)) in owed {
        let account = state.account(owner);
        assert_eq!((account.spent, account.reserved), (spent, reserved));
    }
    for ask in state.asks().values().map(|ask| &ask.interaction) {
        let run = state.run(&ask.run).expect("an ask is of a run");
        assert!(!run.row.status.is_closed() || ask.state != AskState::Open);
    }
}

fn chained(run: &KeptRun) -> Chain {
    let mut chain = Chain::default();
    for record in &run.journal {
        chain.take(record).expect("the chain holds");
    }
    chain
}

#[tokio::test]
async fn a_refused_write_is_shown_to_nobody() {
    let store = MemoryStore::watched(Arc::new(|state| assert_eq!(state.runs().len(), 1)));
    let make = || {
        let run = new_run("one");
        let first = Draft::first(&run, DAWN).unclaimed();
        store.create(run, first)
    };
    make().await.unwrap();
    let tick = store.changed(Tick::default()).await;
    make().await.unwrap_err();
    let again = tokio::time::timeout(std::time::Duration::from_millis(20), store.changed(tick));
    assert!(again.await.is_err(), "nothing changed");
}
