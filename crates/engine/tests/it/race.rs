//! First come, first served: the rest is dropped and settled.

use consign_engine::{Nanos, Status};
use consign_testkit::{
    programs::{ask, call, race, sequence, timer},
    scripted::{Act, Scripted, usd},
    world::World,
};

use crate::{broken, busy, secs};

#[tokio::test(start_paused = true)]
async fn the_loser_of_a_race_is_stopped_and_settled() {
    let agent = Scripted::new([Act::hangs().costs(usd(1))])
        .for_key("b", [Act::answers("2").after(secs(3)).costs(usd(2))]);
    let world = World::with_agent("agent", agent.at_worst(usd(5))).await;
    let run = world.submit(race([call("a", "agent"), call("b", "agent")])).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_started b → call_completed b ($2) \
         → call_cancelled a ($1) → succeeded"
    );
    assert_eq!(world.output(&run).await, "2");
    assert_eq!((row.figures.spent, row.figures.reserved), (usd(3), Nanos::ZERO));
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_goes_on_while_the_loser_of_a_race_is_still_stopping() {
    let agent = Scripted::echo().for_key("deaf", [Act::hangs().deaf()]);
    let world = World::with_agent("agent", agent.at_worst(usd(5))).await;
    let plan = sequence([race([call("deaf", "agent"), call("b", "agent")]), call("c", "agent")]);
    let run = world.submit(plan).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_completed c").await;
    let soon = world.row(&run).await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.at.since(soon.at), secs(10));
    assert_eq!(
        world.history(&run).await,
        "created → call_started deaf → call_started b → call_completed b → call_started c \
         → call_completed c → call_cancelled deaf ($5 assumed) → succeeded"
    );
}

#[tokio::test(start_paused = true)]
async fn a_timer_ends_a_call_that_takes_too_long() {
    let world = World::with_agent("hangs", Scripted::new([Act::hangs()])).await;
    let run = world.submit(race([call("a", "hangs"), timer("late", secs(60))])).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → timer_set late → timer_fired late → call_cancelled a \
         → succeeded"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_in_time_drops_the_timer() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let plan = sequence([race([call("a", "echo"), timer("late", secs(60))]), ask("q")]);
    let run = world.submit(plan).await;
    let _worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → timer_set late → call_completed a → timer_dropped late \
         → asked q"
    );
    assert_eq!(row.wake_at, None);
}

#[tokio::test(start_paused = true)]
async fn of_two_results_in_one_step_the_first_wins_and_both_are_recorded() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(race([call("a", "echo"), call("b", "echo")])).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_started b → call_completed a → call_completed b \
         → succeeded"
    );
    assert_eq!(world.output(&run).await, r#""a""#);
}

#[tokio::test(start_paused = true)]
async fn a_loser_that_fails_while_it_stops_fails_nothing() {
    let agent = Scripted::new([Act::fails(broken()).after(secs(4)).deaf()])
        .for_key("b", [Act::answers("2").after(secs(1))])
        .for_key("c", [Act::fails(busy()).after(secs(4)).deaf()]);
    let world = World::with_agent("agent", agent).await;
    let run = world.submit(race(["a", "b", "c"].map(|key| call(key, "agent")))).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Succeeded);
    assert!(world.history(&run).await.contains("call_cancelled a → call_cancelled c"));
}

#[tokio::test(start_paused = true)]
async fn a_loser_that_a_crash_took_is_not_tried_again() {
    let agent = Scripted::new([Act::hangs().deaf()]).for_key("b", [Act::answers("2")]);
    let world = World::with_agent("agent", agent.at_worst(usd(5))).await;
    let run = world.submit(race([call("a", "agent"), call("b", "agent")])).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_completed b").await;
    worker.kill().await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.calls("agent"), ["a", "b"]);
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_started b → call_completed b \
         → attempt_lost a ($5 assumed) → call_cancelled a → succeeded"
    );
}
