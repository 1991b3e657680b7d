//! Cancelling: what is under way is stopped and settled, then the run closes.

use consign_engine::Speaker;
use consign_engine::{Effect, Nanos, Status, journal::Body};
use consign_testkit::{
    draft::json,
    programs::{all, ask, call, sequence, timer},
    scripted::{Act, Scripted, usd},
    world::{World, refusal},
};

use crate::{busy, secs};

pub(crate) fn hangs() -> Scripted {
    Scripted::new([Act::hangs().costs(usd(1))]).at_worst(usd(5))
}

#[tokio::test(start_paused = true)]
async fn an_attempt_under_way_is_told_to_stop_and_settled() {
    let world = World::with_agent("hangs", hangs()).await;
    let run = world.submit(call("a", "hangs")).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    assert_eq!(world.account("ada").await.reserved, usd(5));
    world.cancel(&run).await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Cancelled);
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → cancel_requested → call_cancelled a ($1) → cancelled by ada"
    );
    assert_eq!((row.figures.spent, row.figures.reserved), (usd(1), Nanos::ZERO));
    assert_eq!(world.account("ada").await.reserved, Nanos::ZERO);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_stops_with_a_transient_fault_is_not_tried_again() {
    let stubborn = Scripted::new([Act::fails(busy()).after(secs(5)).deaf().costs(usd(1))]);
    let world = World::with_agent("stubborn", stubborn.at_worst(usd(5))).await;
    let retry = consign_engine::Retry::default();
    let run = world.submit(call("a", "stubborn").retried(retry)).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.cancel(&run).await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → cancel_requested → call_cancelled a ($1) → cancelled by ada"
    );
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_does_not_listen_is_given_up_after_ten_seconds_and_assumed_spent() {
    let deaf = Scripted::new([Act::hangs().deaf()]).at_worst(usd(5));
    let world = World::with_agent("deaf", deaf).await;
    let run = world.submit(call("a", "deaf")).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.cancel(&run).await;
    let wished = world.row(&run).await.at;
    let row = world.until_closed(&run).await;
    assert_eq!(row.at.since(wished), secs(10));
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → cancel_requested → call_cancelled a ($5 assumed) \
         → cancelled by ada"
    );
    assert_eq!(row.figures.spent, usd(5));
}

#[tokio::test(start_paused = true)]
async fn a_result_that_comes_after_the_wish_is_paid_for_and_not_used() {
    let late = Scripted::new([Act::answers("1").after(secs(5)).deaf().costs(usd(2))]);
    let world = World::with_agent("late", late.at_worst(usd(5))).await;
    let run = world.submit(call("a", "late")).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.cancel(&run).await;
    let row = world.until_closed(&run).await;
    assert_eq!((row.status, row.figures.spent), (Status::Cancelled, usd(2)));
    let cancelled = world.journal(&run).await.into_iter().find_map(|record| match record.body() {
        Ok(Some(Body::CallCancelled(call))) => Some(call),
        _ => None,
    });
    assert_eq!(cancelled.unwrap().output, Some(json("1")), "what it did is on record");
}

#[tokio::test(start_paused = true)]
async fn a_waiting_run_is_cancelled_and_its_asks_withdrawn() {
    let world = World::with_agent("hangs", hangs()).await;
    let run = world.submit(all([ask("q"), timer("t", secs(600))])).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.cancel(&run).await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Cancelled);
    assert!(world.inbox().await.is_empty());
    assert_eq!(refusal(world.try_answer(&run, "q", "1").await).code, "WITHDRAWN");
}

#[tokio::test(start_paused = true)]
async fn a_queued_run_is_cancelled_without_doing_anything() {
    let world = World::with_agent("hangs", hangs()).await;
    let run = world.submit(call("a", "hangs")).await;
    world.cancel(&run).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.history(&run).await, "created → cancel_requested → cancelled by ada");
    assert!(world.calls("hangs").is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_its_next_try_is_cancelled_at_once() {
    let flaky = Scripted::new([Act::fails(busy().with_retry_after(secs(900)))]);
    let world = World::with_agent("flaky", flaky).await;
    let run = world.submit(call("a", "flaky").retried(consign_engine::Retry::default())).await;
    let _worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    world.cancel(&run).await;
    let closed = world.until_closed(&run).await;
    assert_eq!(closed.at, row.at);
    assert!(world.history(&run).await.ends_with("call_cancelled a → cancelled by ada"));
}

#[tokio::test(start_paused = true)]
async fn a_wish_that_outlives_its_process_is_granted_by_the_next() {
    let world = World::with_agent("hangs", hangs()).await;
    let run = world.submit(sequence([call("a", "hangs"), call("b", "hangs")])).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    worker.kill().await;
    world.cancel(&run).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → cancel_requested → attempt_lost a ($5 assumed) \
         → call_cancelled a → cancelled by ada"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_outcome_nobody_knows_does_not_keep_a_cancelled_run_open() {
    let world = World::with_agent("hangs", hangs().kind(Effect::Unsafe)).await;
    let run = world.submit(call("a", "hangs")).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    worker.kill().await;
    let _worker = world.worker().await;
    world.until_event(&run, "asked @outcome:a@1 OUTCOME_UNKNOWN").await;
    world.cancel(&run).await;
    world.until_closed(&run).await;
    assert!(world.inbox().await.is_empty());
    assert_eq!(world.calls("hangs"), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_follows_the_last_event() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(call("a", "echo")).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    let (desk, ada) = (world.desk(), Speaker::person("ada"));
    assert_eq!(refusal(desk.cancel(&run, None, &ada).await).code, "INVALID_STATE");
    assert_eq!(refusal(desk.advise(&run, "too late", &ada).await).code, "INVALID_STATE");
    let more = consign_engine::Limits { calls: Some(9), ..crate::no_limits() };
    assert_eq!(refusal(world.try_raise(&run, more).await).code, "INVALID_STATE");
    assert_eq!(world.row(&run).await, row);
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_comes_due_while_an_attempt_is_stopping_is_no_trouble() {
    let deaf = Scripted::new([Act::hangs().deaf()]);
    let world = World::with_agent("deaf", deaf).await;
    let run = world.submit(all([call("a", "deaf"), timer("t", secs(5))])).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.cancel(&run).await;
    world.pass(secs(20)).await;
    assert_eq!(world.status(&run).await, Status::Cancelled);
}
