//! Whoever sets the clock, time goes on.

use std::sync::Arc;

use consign_engine::Status;
use consign_testkit::{
    programs::{Order, all, ask, call, sequence, timer},
    scripted::{Act, Scripted},
    world::{Outage, World},
};

use crate::secs;

async fn world() -> World {
    let slow = Scripted::new([Act::echoes().after(secs(5))]);
    World::with_agent("slow", slow).await
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_holds_nothing_up() {
    let world = world().await;
    let plan = sequence([call("a", "slow"), timer("t", secs(600)), call("b", "slow")]);
    let run = world.submit(plan).await;
    let _worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    world.clock().set_back(secs(86_400));
    let started = tokio::time::Instant::now();
    let closed = world.until_closed(&run).await;
    assert!(started.elapsed() < secs(610));
    assert!(closed.at >= row.at);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_while_nobody_works_holds_nothing_up() {
    let world = world().await;
    let run = world.submit(sequence([timer("t", secs(600)), call("b", "slow")])).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.kill().await;
    world.clock().set_back(secs(86_400));
    let started = tokio::time::Instant::now();
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert!(started.elapsed() < secs(610));
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_forth_makes_things_due() {
    let world = world().await;
    let run = world.submit(sequence([timer("t", secs(86_400)), ask("q").within(secs(60))])).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.clock().set_forth(secs(86_400));
    let started = tokio::time::Instant::now();
    world.until_event(&run, "asked q").await;
    assert!(started.elapsed() < secs(1));
    world.clock().set_back(secs(86_400));
    world.until_event(&run, "ask_expired q").await;
    assert!(started.elapsed() < secs(65), "and back again changes nothing");
    assert_eq!(world.until_closed(&run).await.status, Status::Failed);
}

#[tokio::test(start_paused = true)]
async fn answers_count_by_the_time_that_runs_see() {
    let world = world().await;
    let run = world.submit(ask("q").within(secs(600))).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.clock().set_back(secs(86_400));
    world.answer(&run, "q", "1").await;
    let row = world.until_closed(&run).await;
    assert!(row.at >= row.created_at);
    world.proves(&run).await;
}

/// Set right by a year, or asleep for the night: nobody worked meanwhile.
#[tokio::test(start_paused = true)]
async fn what_passes_only_on_the_clock_is_no_work() {
    let world = world().await;
    let plan = sequence([call("a", "slow"), call("b", "slow")]);
    let run = world.submit(Order::from(plan).may_work(secs(60))).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.settle().await;
    tokio::time::sleep(secs(2)).await;
    world.clock().set_forth(secs(86_400 * 365));
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Succeeded);
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → time_skipped → call_completed a → call_started b \
         → call_completed b → succeeded"
    );
    let (_, usage) = world.desk().usage(&run).await.unwrap();
    assert_eq!(usage.active.unwrap().as_secs(), 10);
    world.proves(&run).await;
}

/// Whoever answers may have a clock that is ahead of the worker's.
#[tokio::test(start_paused = true)]
async fn a_word_from_a_clock_that_is_ahead_is_no_work_either() {
    let world = world().await;
    let plan = all([call("a", "slow"), ask("q")]);
    let run = world.submit(Order::from(plan).may_work(secs(60))).await;
    let _worker = world.worker().await;
    world.until_event(&run, "asked q").await;
    world.settle().await;
    world.clock().set_forth(secs(86_400));
    world.answer(&run, "q", "1").await;
    world.clock().set_back(secs(86_400));
    assert_eq!(world.until_closed(&run).await.status, Status::Succeeded);
    let (_, usage) = world.desk().usage(&run).await.unwrap();
    assert_eq!(usage.active.unwrap().as_secs(), 5);
}

/// Its holder gave up on the store, took it again, and was not at it in between.
#[tokio::test(start_paused = true)]
async fn time_in_which_nothing_could_be_written_is_no_work() {
    for jump in [0, 86_400] {
        let outage = Arc::new(Outage::default());
        let slow = Scripted::new([Act::echoes().after(secs(5))]);
        let world = World::with_agent("slow", slow).watched_by(outage.clone()).await;
        let run = world.submit(Order::from(call("a", "slow")).may_work(secs(30))).await;
        let _worker = world.worker().await;
        world.until_event(&run, "call_started a").await;
        world.settle().await;
        outage.lasts(11);
        tokio::time::sleep(secs(15)).await;
        world.clock().set_forth(secs(jump));
        world.until_event(&run, "attempt_lost a").await;
        let row = world.until_closed(&run).await;
        assert_eq!(row.status, Status::Succeeded, "{}", world.history(&run).await);
    }
}
