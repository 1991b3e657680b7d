//! Corners where two rules meet. Each was once wrong.

use std::sync::Arc;

use consign_engine::{Effect, Fault, Nanos, Retry, Status, Stop, Workflows};
use consign_testkit::{
    draft::json,
    programs::{Order, Plan, Programs, all, ask, call, race, sequence},
    scripted::{Act, Scripted, usd},
    world::{Forger, Setting, World},
};

use crate::{busy, secs};

fn dear() -> Scripted {
    let act = |act: Act| act.costs(usd(2)).after(secs(1));
    Scripted::echo().at_worst(usd(5)).each(act).kind(Effect::Unsafe)
}

#[tokio::test(start_paused = true)]
async fn a_call_that_its_neighbours_failure_makes_unwanted_is_never_made() {
    let world = World::with_agent("dear", dear()).await;
    let plan = all([call("a", "dear"), call("b", "nobody")]).or_else(ask("look"));
    let run = world.submit(plan).await;
    let _worker = world.worker().await;
    world.until_event(&run, "asked look").await;
    world.pass(secs(20)).await;
    assert!(world.calls("dear").is_empty(), "{}", world.history(&run).await);
    world.answer(&run, "look", "1").await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn who_fails_before_anything_began_has_paid_nothing() {
    let world = World::with_agent("dear", dear()).await;
    let run = world.submit(all([call("a", "dear"), call("b", "nobody")])).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.figures.spent, Nanos::ZERO, "{}", world.history(&run).await);
    assert_eq!(world.account("ada").await.reserved, Nanos::ZERO);
    assert!(world.calls("dear").is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_agent_may_call_its_own_fault_what_it_likes() {
    let world = World::with_agent(
        "agent",
        Scripted::new([Act::fails(Fault::permanent("LIMIT_TIME", "mine"))]),
    )
    .await;
    let run = world.submit(call("a", "agent")).await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.status, Status::Failed);
    assert_eq!(world.calls("agent"), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_about_a_call_that_ended_otherwise_does_no_harm() {
    let world =
        World::with_agent("agent", Scripted::new([Act::hangs()]).kind(Effect::Unsafe)).await;
    let broken = call("x", "nobody").or_else(Plan::Trap);
    let run = world.submit(sequence([race([call("u", "agent"), ask("q")]), broken])).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started u").await;
    world.settle().await;
    worker.kill().await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.answer(&run, "q", "1").await;
    world.until_event(&run, "asked @stuck@2 WORKFLOW_PANICKED").await;
    world.pass(secs(2)).await;
    let _ = world.try_answer(&run, "@outcome:u@1", r#"{"outcome":"failed"}"#).await;
    world.pass(secs(2)).await;
    world.cancel(&run).await;
    assert_eq!(world.until_closed(&run).await.status, Status::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_mended_upgrade_goes_on_after_one_that_failed() {
    let mut world =
        World::with_agent("agent", Scripted::new([Act::hangs(), Act::answers("2")])).await;
    let run = world.submit(call("a", "agent")).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.settle().await;
    worker.kill().await;
    world.deploy(Workflows::default().with(Programs::version(2).from_scratch())).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.stop(Stop::Drain).await;
    world.deploy(Workflows::default().with(Programs::version(2))).await;
    let _worker = world.worker().await;
    world.answer(&run, "@stuck@1", r#"{"go_on":true}"#).await;
    assert_eq!(world.until_closed(&run).await.status, Status::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_retry_that_can_be_paid_does_not_wait_for_a_call_that_cannot() {
    let busy = Act::fails(Fault::transient("BUSY", "later"));
    let cheap = Scripted::new([busy, Act::answers("1")]).at_worst(usd(1));
    let dear = Scripted::echo().at_worst(usd(50));
    let world = World::open(Setting::new().agent("cheap", cheap).agent("dear", dear)).await;
    let retry = Retry::new(3, secs(5), secs(5));
    let plan = race([call("x", "cheap").retried(retry), call("y", "dear")]);
    let run = world.submit(Order::from(plan).may_cost(usd(10))).await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.status, Status::Succeeded);
}

/// Going on from it would make the lie true.
#[tokio::test(start_paused = true)]
async fn a_run_whose_state_somebody_changed_is_put_aside() {
    let forger = Arc::new(Forger::default());
    let world = World::with_agent("echo", Scripted::echo()).watched_by(forger.clone()).await;
    let run = world.submit(sequence([ask("q"), call("a", "echo")])).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.kill().await;
    let state = world.desk().store().load(&run).await.unwrap().snapshot.state;
    let changed = state.as_str().replace(r#""spent":0"#, r#""spent":7"#);
    assert_ne!(changed, state.as_str());
    forger.state(&run, json(changed));
    world.answer(&run, "q", "1").await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert!(world.calls("echo").is_empty());
    forger.state(&run, state);
    let process = world.foreground().await;
    process.take(&run).await.unwrap();
    assert_eq!(world.row(&run).await.status, Status::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_passing_failure_while_the_workflow_is_broken_is_not_final() {
    let flaky = Scripted::new([Act::fails(busy()).after(secs(30)), Act::echoes()]);
    let mut world = World::with_agent("flaky", flaky).await;
    let a = call("a", "flaky").retried(Retry::default());
    let run = world.submit(all([a, sequence([ask("q"), Plan::Trap])])).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.answer(&run, "q", "1").await;
    world.until_event(&run, "attempt_failed a BUSY").await;
    world.until_waiting(&run).await;
    worker.kill().await;
    world.deploy(Workflows::default().with(Programs::default().mended())).await;
    world.answer(&run, "@stuck@1", r#"{"go_on":true}"#).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Succeeded, "{}", world.history(&run).await);
}
