//! Many callers, few transactions.

use std::sync::Arc;

use consign_engine::{
    Nanos, Seq,
    store::{Error, Refusal, Store},
};
use consign_store::SqliteStore;
use consign_testkit::draft::{Draft, advice, claim_of};
use tokio::task::{JoinSet, yield_now};

use crate::ground::{Home, held, step};

/// Lets all that was spawned come to the writer, who is kept from writing meanwhile.
async fn all_posted() {
    for _ in 0..10 {
        yield_now().await;
    }
}

async fn held_runs(store: &SqliteStore, count: usize) -> Vec<consign_engine::store::Row> {
    let mut rows = Vec::new();
    for number in 0..count {
        rows.push(held(store, &format!("run-{number}")).await);
    }
    rows
}

#[tokio::test]
async fn steps_that_come_together_share_a_transaction() {
    let home = Home::new();
    let store = Arc::new(home.open());
    let rows = held_runs(&store, 40).await;
    let before = store.transactions();
    let stopped = home.stop_writers();
    let mut steps = JoinSet::new();
    for row in rows {
        let store = store.clone();
        steps.spawn(async move { store.commit(step(&row)).await });
    }
    all_posted().await;
    drop(stopped);
    for result in steps.join_all().await {
        result.expect("a step by the holder");
    }
    // The first may have been alone at the lock while the others came.
    assert!(store.transactions() - before <= 2, "{}", store.transactions() - before);
}

#[tokio::test]
async fn a_lone_step_is_a_transaction_of_its_own() {
    let home = Home::new();
    let store = home.open();
    let mut row = held(&store, "one").await;
    let before = store.transactions();
    for _ in 0..5 {
        store.commit(step(&row)).await.unwrap();
        row = store.row(&row.id).await.unwrap();
    }
    assert_eq!(store.transactions() - before, 5);
}

#[tokio::test]
async fn a_refused_step_leaves_no_rows_and_spares_those_who_share_its_transaction() {
    let home = Home::new();
    let store = Arc::new(home.open());
    let rows = held_runs(&store, 9).await;
    store.set_cap(&rows[0].owner, Some(Nanos::new(10))).await.unwrap();
    let before = store.transactions();
    let stopped = home.stop_writers();
    let mut steps = JoinSet::new();
    for (number, row) in rows.iter().enumerate() {
        let mut commit = step(row);
        match number % 3 {
            0 => commit.claim.epoch.0 += 1,
            1 => commit.step.ledger.reserve = Nanos::new(11),
            _ => commit.step.ledger.reserve = Nanos::new(3),
        }
        let store = store.clone();
        steps.spawn(async move { (number, store.commit(commit).await) });
    }
    all_posted().await;
    drop(stopped);
    let journal = "SELECT count(*) FROM journal WHERE run = (SELECT key FROM runs WHERE id = ?1)";
    for (number, result) in steps.join_all().await {
        let rows_of_it: i64 = home
            .database()
            .query_row(journal, [format!("run-{number}")], |row| row.get(0))
            .unwrap();
        let (refused, expected) = match number % 3 {
            0 => (matches!(result, Err(Error::Refused(Refusal::Fenced))), 1),
            1 => (matches!(result, Err(Error::Refused(Refusal::OverCap { .. }))), 1),
            _ => (result.is_ok(), 2),
        };
        assert!(refused, "{number}: {result:?}");
        assert_eq!(rows_of_it, expected, "{number}");
    }
    let account = store.account(&rows[0].owner).await.unwrap();
    assert_eq!(account.reserved, Nanos::new(9));
    assert!(store.transactions() - before <= 2);
}

#[tokio::test]
async fn steps_of_one_run_in_one_transaction_come_one_after_the_other() {
    let home = Home::new();
    let store = Arc::new(home.open());
    let row = held(&store, "one").await;
    // What the run will be after the first step is known before it is written.
    let first = step(&row);
    let mut then = row.clone();
    let newest = first.step.records.last().unwrap();
    (then.seq, then.head, then.at) = (newest.seq, newest.hash, newest.at);
    let second = Draft::after(&then).completes("other", "2").by(&claim_of(&row));
    let late = advice(&row, "be brief");

    let stopped = home.stop_writers();
    let (one, two, three) = (store.clone(), store.clone(), store.clone());
    let first = tokio::spawn(async move { one.commit(first).await });
    let second = tokio::spawn(async move { two.commit(second).await });
    let late = tokio::spawn(async move { three.deliver(late).await });
    all_posted().await;
    drop(stopped);
    first.await.unwrap().unwrap();
    second.await.unwrap().unwrap();
    let refusal = late.await.unwrap().unwrap_err();
    assert!(matches!(refusal, Error::Refused(Refusal::Moved { newest: Seq(2) })), "{refusal:?}");
    assert_eq!(store.events(&row.id, Seq(0), 9).await.unwrap().len(), 3);
}

#[tokio::test]
async fn what_was_posted_is_written_also_when_nobody_waits_for_it() {
    let home = Home::new();
    let store = home.open();
    let row = held(&store, "one").await;
    let stopped = home.stop_writers();
    let commit = tokio::time::timeout(std::time::Duration::ZERO, store.commit(step(&row))).await;
    assert!(commit.is_err(), "nobody can write yet");
    drop(stopped);
    store.close().await;
    assert_eq!(home.open().row(&row.id).await.unwrap().seq, Seq(1));
}

#[tokio::test]
async fn nothing_is_spent_from_an_account_that_is_gone() {
    let home = Home::new();
    let store = home.open();
    let row = held(&store, "one").await;
    home.database().execute("DELETE FROM owners", []).unwrap();
    let mut commit = step(&row);
    commit.step.ledger.spend = Nanos::new(5);
    let error = store.commit(commit).await.unwrap_err();
    assert!(matches!(error, Error::Damaged(_)), "{error}");
    assert_eq!(store.row(&row.id).await.unwrap(), row, "nothing was written");
    store.commit(step(&row)).await.unwrap();
}
