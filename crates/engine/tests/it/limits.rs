//! Calls and time: a reached limit is a wait, and waiting is free.

use consign_engine::{AskKind, Effect, Limits, Status};
use consign_testkit::{
    programs::{Order, all, ask, call, sequence, timer},
    scripted::{Act, Scripted, usd},
    world::{World, refusal},
};

use crate::{busy, no_limits, secs};

fn calls(most: u64) -> Limits {
    Limits { calls: Some(most), ..no_limits() }
}

fn active(seconds: u64) -> Limits {
    Limits { active: Some(secs(seconds)), ..no_limits() }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_has_made_its_calls_waits_and_goes_on_when_more_are_allowed() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let plan = sequence(["a", "b", "c"].map(|key| call(key, "echo")));
    let run = world.submit(Order::from(plan).may_call(2)).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert_eq!(world.calls("echo"), ["a", "b"]);
    assert!(world.history(&run).await.ends_with("asked @limit@1 LIMIT_CALLS"));
    world.raise(&run, calls(3)).await;
    world.until_closed(&run).await;
    assert_eq!(world.calls("echo"), ["a", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn every_attempt_is_a_call() {
    let flaky = Scripted::new([Act::fails(busy()), Act::fails(busy()), Act::answers("1")]);
    let world = World::with_agent("flaky", flaky).await;
    let plan = call("a", "flaky").retried(consign_engine::Retry::default());
    let run = world.submit(Order::from(plan).may_call(2)).await;
    let _worker = world.worker().await;
    world.until_event(&run, "asked @limit@1 LIMIT_CALLS").await;
    world.until_waiting(&run).await;
    world.raise(&run, calls(3)).await;
    world.until_closed(&run).await;
    assert_eq!(world.calls("flaky").len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_has_worked_its_time_waits_and_goes_on_when_it_gets_more() {
    let slow = Scripted::new([Act::echoes().after(secs(40))]);
    let world = World::with_agent("slow", slow).await;
    let plan = sequence([call("a", "slow"), call("b", "slow")]);
    let run = world.submit(Order::from(plan).may_work(secs(60))).await;
    let _worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    assert_eq!(row.at.since(row.created_at).as_secs(), 60);
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_completed a → call_started b → attempt_lost b LIMIT_TIME \
         → asked @limit@1 LIMIT_TIME"
    );
    world.raise(&run, active(120)).await;
    assert_eq!(world.until_closed(&run).await.status, Status::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_more_time_costs_no_time() {
    let slow = Scripted::new([Act::echoes().after(secs(40))]);
    let world = World::with_agent("slow", slow).await;
    let run = world.submit(Order::from(call("a", "slow")).may_work(secs(30))).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    tokio::time::sleep(secs(300)).await;
    world.raise(&run, active(90)).await;
    world.settle().await;
    assert!(world.history(&run).await.ends_with("raised → attempt_started a #2"));
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn neither_asks_nor_timers_use_up_time() {
    let slow = Scripted::new([Act::echoes().after(secs(5))]);
    let world = World::with_agent("slow", slow).await;
    let plan = sequence([timer("nap", secs(120)), ask("q"), call("a", "slow")]);
    let run = world.submit(Order::from(plan).may_work(secs(10))).await;
    let _worker = world.worker().await;
    world.until_event(&run, "asked q").await;
    tokio::time::sleep(secs(120)).await;
    world.answer(&run, "q", "1").await;
    assert_eq!(world.until_closed(&run).await.status, Status::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_long_wait_for_the_next_try_uses_up_no_time() {
    let later = busy().with_retry_after(secs(120));
    let flaky = Scripted::new([Act::fails(later), Act::answers("1")]);
    let world = World::with_agent("flaky", flaky).await;
    let plan = call("a", "flaky").retried(consign_engine::Retry::default());
    let run = world.submit(Order::from(plan).may_work(secs(60))).await;
    let _worker = world.worker().await;
    world.until_event(&run, "attempt_started a #2").await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn time_in_which_no_process_lived_is_not_worked() {
    let world = World::with_agent("slow", Scripted::new([Act::hangs(), Act::echoes()])).await;
    let run = world.submit(Order::from(call("a", "slow")).may_work(secs(60))).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    worker.kill().await;
    tokio::time::sleep(secs(120)).await;
    let _worker = world.worker().await;
    world.until_event(&run, "attempt_started a #2").await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn an_unsafe_call_that_runs_into_the_time_limit_is_not_repeated_unasked() {
    let slow = Scripted::new([Act::echoes().after(secs(40))]).kind(Effect::Unsafe);
    let world = World::with_agent("slow", slow).await;
    let run = world.submit(Order::from(call("a", "slow")).may_work(secs(30))).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert!(world.history(&run).await.contains("asked @outcome:a@1 OUTCOME_UNKNOWN"));
    let asks = world.inbox().await;
    let asked = asks.iter().find(|ask| ask.key.as_str() == "@outcome:a@1").unwrap();
    assert!(asked.prompt.contains("had worked for as long as it may"), "{}", asked.prompt);
    assert_eq!(world.calls("slow"), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_reached_limit_is_answered_in_the_inbox_once() {
    let dear = Scripted::echo().at_worst(usd(5)).each(|act| act.costs(usd(5)));
    let world = World::with_agent("dear", dear).await;
    let plan = sequence([call("a", "dear"), call("b", "dear")]);
    let run = world.submit(Order::from(plan).may_cost(usd(5))).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    let ask = &world.inbox().await[0];
    assert_eq!((ask.kind, ask.key.as_str()), (AskKind::Limit, "@limit@1"));
    let bad = |value| world.try_answer(&run, "@limit@1", value);
    assert_eq!(refusal(bad(r#"{"cost_usd":4}"#).await).code, "INVALID_LIMIT");
    assert_eq!(refusal(bad(r#"{"cost_usd":-1}"#).await).code, "CONTRACT_BREACH");
    assert_eq!(refusal(bad("{}").await).code, "CONTRACT_BREACH");
    world.answer(&run, "@limit@1", r#"{"cost_usd":10.5}"#).await;
    let second = world.try_answer(&run, "@limit@1", r#"{"cost_usd":12}"#).await;
    assert_eq!(refusal(second).code, "ALREADY_ANSWERED");
    let row = world.until_closed(&run).await;
    assert_eq!(row.figures.spent, usd(10));
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_to_one_limit_is_not_taken_for_one_to_the_next() {
    let dear = Scripted::echo().at_worst(usd(5)).each(|act| act.costs(usd(5)));
    let world = World::with_agent("dear", dear).await;
    let plan = sequence(["a", "b", "c"].map(|key| call(key, "dear")));
    let run = world.submit(Order::from(plan).may_cost(usd(5))).await;
    let _worker = world.worker().await;
    world.until_event(&run, "asked @limit@1 LIMIT_COST").await;
    world.answer(&run, "@limit@1", r#"{"cost_usd":10}"#).await;
    world.until_event(&run, "asked @limit@2 LIMIT_COST").await;
    let late = world.try_answer(&run, "@limit@1", r#"{"cost_usd":100}"#).await;
    assert_eq!(refusal(late).code, "ALREADY_ANSWERED");
    assert_eq!(world.row(&run).await.figures.cap, Some(usd(10)));
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_was_raised_in_time_is_never_asked_for() {
    let slow = Scripted::new([Act::echoes().after(secs(40))]);
    let world = World::with_agent("slow", slow).await;
    let plan = sequence([call("a", "slow"), call("b", "slow")]);
    let run = world.submit(Order::from(plan).may_call(1)).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.raise(&run, calls(2)).await;
    world.until_closed(&run).await;
    assert!(!world.history(&run).await.contains("@limit@1"));
}

#[tokio::test(start_paused = true)]
async fn what_is_not_a_call_goes_on_while_a_limit_is_waited_for() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let plan =
        all([sequence([call("a", "echo"), call("b", "echo")]), timer("t", secs(60)), ask("q")]);
    let run = world.submit(Order::from(plan).may_call(1)).await;
    let _worker = world.worker().await;
    world.until_event(&run, "asked @limit@1 LIMIT_CALLS").await;
    world.answer(&run, "q", "1").await;
    world.until_event(&run, "timer_fired t").await;
    world.pass(secs(5)).await;
    world.raise(&run, calls(2)).await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn more_time_reaches_an_attempt_that_is_under_way() {
    let slow = Scripted::new([Act::echoes().after(secs(40))]);
    let world = World::with_agent("slow", slow).await;
    let run = world.submit(Order::from(call("a", "slow")).may_work(secs(30))).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.raise(&run, active(90)).await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → raised → call_completed a → succeeded"
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_for_a_limit_can_be_cancelled() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(Order::from(call("a", "echo")).may_call(0)).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.cancel(&run).await;
    assert_eq!(world.until_closed(&run).await.status, Status::Cancelled);
    assert!(world.inbox().await.is_empty());
}
