//! Signals, labels, and who may say what to a run.

use std::time::Duration;

use consign_engine::{Fault, Limits, Retry, Role, Speaker, Status, store::RunQuery};
use consign_testkit::{
    draft::json,
    programs::{Order, Plan, Programs, all, ask, call, sequence},
    scripted::{Act, Scripted, usd},
    world::{World, refusal},
};

use crate::secs;

async fn world(agent: Scripted) -> World {
    World::with_agent("agent", agent).workflow(Programs::default().marking()).await
}

#[tokio::test(start_paused = true)]
async fn a_run_can_wait_for_nothing_but_a_signal() {
    let world = world(Scripted::echo()).await;
    let run = world.submit(sequence([Plan::Advice, call("a", "agent")])).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert!(world.inbox().await.is_empty());
    let (desk, ada, bot) = (world.desk(), Speaker::person("ada"), Speaker::agent("bot"));
    let text = json(r#""go""#);
    assert_eq!(refusal(desk.signal(&run, "nope", &text, &ada).await).code, "SIGNAL_NOT_FOUND");
    let breach = desk.signal(&run, "note", &json("1"), &ada).await;
    assert_eq!(refusal(breach).code, "CONTRACT_BREACH");
    assert_eq!(refusal(desk.signal(&run, "order", &text, &bot).await).code, "PERSON_REQUIRED");
    assert_eq!(world.history(&run).await, "created");
    desk.signal(&run, "note", &text, &bot).await.expect("an agent may send it");
    assert_eq!(world.until_closed(&run).await.status, Status::Succeeded);
    assert!(world.history(&run).await.starts_with("created → signalled note \"go\" → "));
    world.proves(&run).await;
    assert_eq!(refusal(desk.signal(&run, "note", &text, &bot).await).code, "INVALID_STATE");
}

#[tokio::test(start_paused = true)]
async fn a_workflow_that_declares_no_signals_takes_none() {
    let world = World::with_agent("agent", Scripted::echo()).await;
    let run = world.submit(ask("q")).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    let sent = world.desk().signal(&run, "note", &json("1"), &Speaker::person("ada")).await;
    assert_eq!(refusal(sent).code, "SIGNAL_NOT_FOUND");
}

#[tokio::test(start_paused = true)]
async fn what_is_for_a_person_is_not_taken_from_an_agent() {
    let agent = Scripted::echo().at_worst(usd(5));
    let world = world(agent).await;
    let asks = world.submit(ask("q")).await;
    let poor =
        world.submit(Order::from(sequence([ask("z"), call("a", "agent")])).may_cost(usd(5))).await;
    let _worker = world.worker().await;
    world.until_waiting(&asks).await;
    world.until_waiting(&poor).await;
    let (desk, bot) = (world.desk(), Speaker::agent("bot"));
    let before = world.history(&asks).await;
    let more = Limits { cost: Some(usd(9)), ..Limits::default() };
    for refused in [
        desk.answer(&asks, &"q".into(), &json("1"), &bot).await,
        desk.raise(&poor, &more, &bot).await,
        desk.advise(&asks, "hurry", &bot).await,
    ] {
        assert_eq!(refusal(refused).code, "PERSON_REQUIRED");
    }
    assert_eq!(world.history(&asks).await, before, "it leaves no trace");
    desk.answer(&asks, &"q".into(), &json("1"), &Speaker::person("ada"))
        .await
        .expect("a person may");
    world.until_closed(&asks).await;
    let journal = world.journal(&asks).await;
    let answered = journal.iter().find(|event| event.kind == "answered").expect("it is answered");
    assert_eq!(answered.actor.as_str(), "ada");
    let consign_engine::journal::Body::Answered(said) = answered.body().unwrap().unwrap() else {
        panic!("it is an answer");
    };
    assert_eq!(said.role, Some(Role::Person));
    world.answer(&poor, "z", "1").await;
    world.until_closed(&poor).await;
}

#[tokio::test(start_paused = true)]
async fn a_label_says_where_a_run_stands() {
    let agent = Scripted::echo().at_worst(usd(5));
    let world = world(agent).await;
    let plan = sequence([ask("q"), call("a", "agent"), call("b", "agent")]);
    let run = world.submit(Order::from(plan).may_cost(usd(6))).await;
    let other = world.submit(ask("other")).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.until_waiting(&other).await;
    assert_eq!(world.row(&run).await.label.as_deref(), Some("0 done"));
    let labelled = async |label: &str| {
        let query = RunQuery { label: Some(label.to_owned()), most: 9, ..RunQuery::default() };
        let rows = world.observer().runs(&query).await.expect("the runs can be read");
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(labelled("0 done").await, [other.clone(), run.clone()]);
    world.answer(&run, "q", "1").await;
    world.until_closed(&run).await;
    assert_eq!(labelled("0 done").await, std::slice::from_ref(&other));
    assert_eq!(labelled("3 done").await, std::slice::from_ref(&run));
    world.proves(&run).await;
    world.answer(&other, "other", "1").await;
    world.until_closed(&other).await;
}

#[tokio::test(start_paused = true)]
async fn a_label_knows_what_the_engine_asks() {
    let world = world(Scripted::echo().at_worst(usd(5)).each(|act| act.costs(usd(5)))).await;
    let plan = sequence([call("a", "agent"), call("b", "agent")]);
    let run = world.submit(Order::from(plan).may_cost(usd(6))).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert_eq!(world.row(&run).await.label.as_deref(), Some("LIMIT_COST"));
    world.raise(&run, Limits { cost: Some(usd(20)), ..Limits::default() }).await;
    world.until_closed(&run).await;
    assert_eq!(world.row(&run).await.label.as_deref(), Some("2 done"));
}

#[tokio::test(start_paused = true)]
async fn a_label_that_changes_while_nothing_is_written_comes_with_the_next_step() {
    let busy = Act::fails(Fault::transient("BUSY", "later"));
    let world = world(Scripted::new([busy, Act::hangs()])).await;
    let later = Retry::new(3, secs(2), secs(2));
    let run = world.submit(all([Plan::Advice, call("a", "agent").retried(later)])).await;
    let _worker = world.worker().await;
    let due = world.until_waiting(&run).await.wake_at.expect("it waits for the next attempt");
    let soon = Duration::from_millis(100);
    tokio::time::sleep(due.since(world.desk().now()) - soon).await;
    // Whoever takes the run now has nothing to write before the attempt begins.
    world.advise(&run, "hurry").await;
    world.until_event(&run, "attempt_started a #2").await;
    assert_eq!(world.row(&run).await.label.as_deref(), Some("0 done, advised"));
    world.proves(&run).await;
    world.cancel(&run).await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_label_of_a_run_that_is_over_asks_nothing() {
    let world = world(Scripted::echo().at_worst(usd(5)).each(|act| act.costs(usd(5)))).await;
    let plan = sequence([call("a", "agent"), call("b", "agent")]);
    let run = world.submit(Order::from(plan).may_cost(usd(6))).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert_eq!(world.row(&run).await.label.as_deref(), Some("LIMIT_COST"));
    world.cancel(&run).await;
    world.until_closed(&run).await;
    assert_eq!(world.row(&run).await.label.as_deref(), Some("1 done"));
    world.proves(&run).await;
}
