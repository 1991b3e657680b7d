//! Cases about callers that wait for a change and are notified.

use std::{future::Future, time::Duration};

use consign_engine::{
    Nanos, Seq,
    store::{Store, Tick},
};

use tokio::task::JoinSet;

use super::{Scene, StorePlace};
use crate::draft::{Draft, advice, claim_of};

/// Longer than any store takes to notice; only a change that was missed takes so long.
const LONG: Duration = Duration::from_secs(10);

async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, future).await.unwrap_or_else(|_| panic!("{what} went unnoticed"))
}

/// Takes all notices of what is past. There may be one or two too many, never without end.
async fn settle(store: &dyn Store) -> Tick {
    let moment = Duration::from_millis(100);
    let mut tick = Tick::default();
    for _ in 0..20 {
        match tokio::time::timeout(moment, store.changed(tick)).await {
            Ok(now) => tick = now,
            Err(_) => return tick,
        }
    }
    panic!("it keeps saying that something changed");
}

pub async fn a_write_that_is_done_is_noticed_by_whoever_waits_afterwards(place: &dyn StorePlace) {
    let (here, there) = (Scene::open(place).await, Scene::open(place).await);
    for peer in [&here, &there] {
        let name = format!("run-{}", here.rows().await.len());
        let tick = settle(&*peer.store).await;
        let row = here.held(&name, "w1").await;
        soon("a new run", peer.changed(tick)).await;
        let tick = settle(&*peer.store).await;
        let row = here.step(&row, Draft::after(&row).completes("call", "1")).await;
        soon("a step", peer.changed(tick)).await;
        let tick = settle(&*peer.store).await;
        let row = here.brings(advice(&row, "be brief")).await;
        soon("a delivery", peer.changed(tick)).await;
        let tick = settle(&*peer.store).await;
        let row = here.step(&row, Draft::after(&row).queued()).await;
        soon("a run to take", peer.changed(tick)).await;
        let tick = settle(&*peer.store).await;
        here.claim_run(&"w1".into(), &row.id).await.expect("it is free");
        soon("a claim", peer.changed(tick)).await;
        let tick = settle(&*peer.store).await;
        here.set_cap(&row.owner, Some(Nanos::new(5))).await.expect("a cap");
        soon("a cap", peer.changed(tick)).await;
        let tick = settle(&*peer.store).await;
        here.reclaim().await.expect("a count");
        soon("a reclaimed run", peer.changed(tick)).await;
    }
}

pub async fn a_write_wakes_whoever_waits_for_it(place: &dyn StorePlace) {
    let (here, there) = (Scene::open(place).await, Scene::open(place).await);
    for peer in [&here, &there] {
        let tick = settle(&*peer.store).await;
        let store = peer.store.clone();
        let waiter = tokio::spawn(async move { store.changed(tick).await });
        tokio::task::yield_now().await;
        here.queued(&format!("run-{}", here.rows().await.len())).await;
        soon("a new run", waiter).await.expect("it does not panic");
    }
}

pub async fn a_write_wakes_all_who_wait_for_it(place: &dyn StorePlace) {
    let (here, there) = (Scene::open(place).await, Scene::open(place).await);
    let tick = settle(&*there.store).await;
    let mut waiters = JoinSet::new();
    for _ in 0..3 {
        let store = there.store.clone();
        waiters.spawn(async move { store.changed(tick).await });
    }
    tokio::task::yield_now().await;
    here.queued("one").await;
    soon("a new run", waiters.join_all()).await;
}

/// As many requests of one server do.
pub async fn each_who_waits_follows_the_changes_alone(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let first = settle(&*scene.store).await;
    scene.queued("one").await;
    let second = soon("a run", scene.changed(first)).await;
    assert!(second > first, "it is another");
    soon("a run that somebody else was told of", scene.changed(first)).await;
}

/// Looks, waits for a change, looks again, as workers do: whatever the timing, it sees the last one.
pub async fn whoever_looks_after_each_change_sees_them_all(place: &dyn StorePlace) {
    let (here, there) = (Scene::open(place).await, Scene::open(place).await);
    let run = here.held("one", "w1").await.id;
    let last = Seq(60);
    let mut watchers = Vec::new();
    for peer in [&here, &there] {
        let (store, run) = (peer.store.clone(), run.clone());
        watchers.push(tokio::spawn(async move {
            let mut tick = Tick::default();
            while store.row(&run).await.expect("the run is there").seq < last {
                tick = soon("a step", store.changed(tick)).await;
            }
        }));
    }
    let mut row = here.see(&run).await;
    while row.seq < last {
        let draft = Draft::after(&row).completes("call", "1");
        here.commit(draft.by(&claim_of(&row))).await.expect("a step by the holder");
        if row.seq.0 % 7 == 0 {
            tokio::task::yield_now().await;
        }
        row = here.see(&run).await;
    }
    for watcher in watchers {
        watcher.await.expect("it saw the last one");
    }
}

pub async fn a_peer_sees_at_once_what_another_wrote(place: &dyn StorePlace) {
    let (here, there) = (Scene::open(place).await, Scene::open(place).await);
    let mut row = here.held("one", "w1").await;
    for number in 0..10 {
        let (writer, reader) = if number % 2 == 0 { (&here, &there) } else { (&there, &here) };
        row = writer.step(&row, Draft::after(&row).completes("call", "1").spends(1)).await;
        assert_eq!(reader.see(&row.id).await, row);
    }
    assert_eq!(here.contents().await, there.contents().await);
}
