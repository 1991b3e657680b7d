//! Trying again, and when not to; contracts, missing agents and agents that break.

use std::time::Duration;

use consign_engine::{At, Fault, Retry, RunId, Status};
use consign_testkit::{
    programs::{all, call, sequence},
    scripted::{Act, Scripted, usd},
    world::World,
};

use crate::{broken, busy, millis, secs};

const THRICE: Retry = Retry::new(3, Duration::from_secs(10), Duration::from_secs(3600));

/// The time between the end of each failed attempt and the beginning of the next.
async fn waits(world: &World, run: &RunId) -> Vec<Duration> {
    let (mut failed, mut waits) = (At(0), Vec::new());
    for record in world.journal(run).await {
        match &*record.kind {
            "attempt_failed" => failed = record.at,
            "attempt_started" => waits.push(record.at.since(failed)),
            _ => {}
        }
    }
    waits
}

#[tokio::test(start_paused = true)]
async fn a_transient_fault_is_tried_again_after_a_wait_that_doubles() {
    let flaky = Scripted::new([Act::fails(busy()), Act::fails(busy()), Act::answers("1")]);
    let world = World::with_agent("flaky", flaky).await;
    let run = world.submit(call("a", "flaky").retried(THRICE)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → attempt_failed a BUSY → attempt_started a #2 \
         → attempt_failed a BUSY → attempt_started a #3 → call_completed a → succeeded"
    );
    let waits = waits(&world, &run).await;
    assert!((secs(5)..=secs(11)).contains(&waits[0]), "{waits:?}");
    assert!((secs(10)..=secs(21)).contains(&waits[1]), "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn the_wait_never_grows_past_the_longest() {
    let flaky = Scripted::new([Act::fails(busy())]);
    let world = World::with_agent("flaky", flaky).await;
    let retry = Retry::new(8, secs(1), secs(4));
    let run = world.submit(call("a", "flaky").retried(retry)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let waits = waits(&world, &run).await;
    assert_eq!(waits.len(), 7);
    assert!(waits.iter().all(|wait| *wait <= secs(5)), "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn the_other_side_is_left_alone_for_as_long_as_it_asks() {
    let later = busy().with_retry_after(secs(1000));
    let flaky = Scripted::new([Act::fails(later), Act::answers("1")]);
    let world = World::with_agent("flaky", flaky).await;
    let run = world.submit(call("a", "flaky").retried(THRICE)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let waits = waits(&world, &run).await;
    assert!((secs(1000)..=secs(1001)).contains(&waits[0]), "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn a_run_is_let_go_while_it_waits_for_its_next_try() {
    let flaky = Scripted::new([Act::fails(busy()), Act::answers("1")]);
    let world = World::with_agent("flaky", flaky).await;
    let run = world.submit(call("a", "flaky").retried(THRICE)).await;
    let worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    assert!(row.wake_at.is_some() && row.worker.is_none());
    worker.kill().await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.calls("flaky"), ["a", "a"]);
}

#[tokio::test(start_paused = true)]
async fn a_short_wait_is_sat_out() {
    let flaky = Scripted::new([Act::fails(busy()), Act::answers("1")]);
    let world = World::with_agent("flaky", flaky).await;
    let retry = Retry::new(2, millis(200), secs(1));
    let run = world.submit(call("a", "flaky").retried(retry)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.audit().counts().claims, 1);
}

#[tokio::test(start_paused = true)]
async fn when_the_tries_are_used_up_the_last_fault_is_what_the_workflow_hears() {
    let flaky = Scripted::new([
        Act::fails(busy()),
        Act::fails(busy()),
        Act::fails(Fault::transient("STILL_BUSY", "no")),
    ]);
    let world = World::with_agent("flaky", flaky).await;
    let run = world.submit(call("a", "flaky").retried(THRICE)).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Failed);
    assert!(world.history(&run).await.ends_with("call_failed a STILL_BUSY → failed STILL_BUSY"));
    assert_eq!(world.calls("flaky").len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_permanent_fault_is_not_tried_again() {
    let world = World::with_agent("broken", Scripted::new([Act::fails(broken())])).await;
    let run = world.submit(call("a", "broken").retried(THRICE)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_failed a BROKEN → failed BROKEN"
    );
}

#[tokio::test(start_paused = true)]
async fn tries_that_a_crash_took_do_not_count() {
    let acts = [Act::hangs(), Act::hangs(), Act::fails(busy()), Act::answers("1")];
    let world = World::with_agent("flaky", Scripted::new(acts)).await;
    let retry = Retry { tries: 2, ..THRICE };
    let run = world.submit(call("a", "flaky").retried(retry)).await;
    for attempt in ["call_started a", "attempt_started a #2"] {
        let worker = world.worker().await;
        world.until_event(&run, attempt).await;
        worker.kill().await;
    }
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn every_attempt_pays() {
    let acts = [Act::fails(busy()).costs(usd(1)), Act::answers("1").costs(usd(2))];
    let world = World::with_agent("dear", Scripted::new(acts).at_worst(usd(3))).await;
    let run = world.submit(call("a", "dear").retried(THRICE)).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.figures.spent, usd(3));
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → attempt_failed a BUSY ($1) → attempt_started a #2 \
         → call_completed a ($2) → succeeded"
    );
}

#[tokio::test(start_paused = true)]
async fn an_input_that_breaks_the_contract_never_reaches_the_agent() {
    let strict = Scripted::echo().takes(r#"{"type":"integer"}"#).at_worst(usd(3));
    let world = World::with_agent("strict", strict).await;
    let run = world
        .submit(call("a", "strict").given(r#""seven""#).or_else(call("b", "strict").given("7")))
        .await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_failed a CONTRACT_BREACH → call_started b → call_completed b → succeeded"
    );
    assert_eq!(world.calls("strict"), ["b"]);
}

#[tokio::test(start_paused = true)]
async fn an_output_that_breaks_the_contract_is_a_failure_that_is_paid_for() {
    let loose = Scripted::new([Act::answers(r#""seven""#).costs(usd(2))]);
    let loose = loose.at_worst(usd(3)).gives(r#"{"type":"integer"}"#);
    let world = World::with_agent("loose", loose).await;
    let run = world.submit(call("a", "loose").retried(THRICE)).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_failed a CONTRACT_BREACH ($2) → failed CONTRACT_BREACH"
    );
    assert_eq!(row.figures.spent, usd(2));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_not_there_fails_its_call() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(call("a", "nobody").or_else(call("b", "echo"))).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_failed a AGENT_NOT_FOUND → call_started b → call_completed b → succeeded"
    );
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_panics_takes_nobody_down_and_is_tried_again() {
    let acts = [Act::panics(), Act::answers("1").costs(usd(1))];
    let world = World::with_agent("fragile", Scripted::new(acts).at_worst(usd(2)))
        .agent("echo", Scripted::echo())
        .await;
    let other = world.submit(sequence((0..9).map(|n| call(&format!("n{n}"), "echo")))).await;
    let run = world.submit(call("a", "fragile").retried(THRICE)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → attempt_failed a AGENT_PANICKED ($2 assumed) \
         → attempt_started a #2 → call_completed a ($1) → succeeded"
    );
    assert_eq!(world.until_closed(&other).await.status, Status::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn one_part_that_fails_fails_the_join_and_the_others_are_stopped() {
    let agent = Scripted::new([Act::hangs()]).for_key("b", [Act::fails(broken())]);
    let world = World::with_agent("agent", agent).await;
    let run = world.submit(all([call("a", "agent"), call("b", "agent")])).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Failed);
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_started b → call_failed b BROKEN → call_cancelled a \
         → failed BROKEN"
    );
}
