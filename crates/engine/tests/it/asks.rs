//! Asking, answering, and the time for it.

use consign_engine::Speaker;
use consign_engine::{Data, Key, Status};
use consign_testkit::{
    programs::{Plan, all, ask, call, race, sequence, timer},
    scripted::{Act, Scripted},
    world::{World, refusal},
};

use crate::secs;

async fn world() -> World {
    let echo = Scripted::echo().for_key("slow", [Act::echoes().after(secs(60))]);
    World::with_agent("echo", echo).await
}

#[tokio::test(start_paused = true)]
async fn many_asks_are_open_at_once_and_answered_in_any_order() {
    let world = world().await;
    let run = world.submit(all(["p", "q", "r"].map(ask))).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    let open: Vec<_> = world.inbox().await.into_iter().map(|ask| ask.key.to_string()).collect();
    assert_eq!(open, ["p", "q", "r"]);
    world.answer(&run, "r", "3").await;
    world.answer(&run, "p", "1").await;
    world.until_waiting(&run).await;
    world.answer(&run, "q", "2").await;
    world.until_closed(&run).await;
    assert_eq!(world.output(&run).await, "[1,2,3]");
}

#[tokio::test(start_paused = true)]
async fn what_was_answered_is_known_afterwards() {
    let world = world().await;
    let run = world.submit(all(["p", "q"].map(ask))).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.answer(&run, "p", "[1]").await;
    let engine = world.engine(&[], &[]).await;
    let said = async |key: &str| {
        let said = engine.answer_to(&run, &Key::from(key)).await.unwrap();
        said.map(|said| said.as_str().to_owned())
    };
    assert_eq!(said("p").await.as_deref(), Some("[1]"));
    assert_eq!((said("q").await, said("r").await), (None, None));
}

#[tokio::test(start_paused = true)]
async fn an_ask_is_answered_while_a_call_is_under_way() {
    let world = world().await;
    let answered = sequence([ask("q"), call("then", "echo")]);
    let run = world.submit(all([call("slow", "echo"), answered])).await;
    let _worker = world.worker().await;
    world.until_event(&run, "asked q").await;
    world.answer(&run, "q", "1").await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started slow → asked q → answered q → call_started then \
         → call_completed then → call_completed slow → succeeded"
    );
}

#[tokio::test(start_paused = true)]
async fn at_the_deadline_the_default_is_the_answer() {
    let world = world().await;
    let run = world.submit(ask("q").within(secs(600)).otherwise(r#""as usual""#)).await;
    let _worker = world.worker().await;
    let asked = world.until_waiting(&run).await;
    let closed = world.until_closed(&run).await;
    assert_eq!(closed.at.since(asked.at), secs(600));
    assert_eq!(world.output(&run).await, r#""as usual""#);
    assert_eq!(world.history(&run).await, "created → asked q → answered q by default → succeeded");
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_default_an_ask_fails_at_its_deadline() {
    let world = world().await;
    let run = world.submit(ask("q").within(secs(600)).or_else(call("instead", "echo"))).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → asked q → ask_expired q → call_started instead → call_completed instead \
         → succeeded"
    );
}

#[tokio::test(start_paused = true)]
async fn a_second_answer_is_refused_also_when_it_is_the_same() {
    let world = world().await;
    let run = world.submit(all([ask("q"), ask("other")])).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.kill().await;
    world.answer(&run, "q", "1").await;
    for value in ["1", "2"] {
        let fault = refusal(world.try_answer(&run, "q", value).await);
        assert_eq!(fault.code, "ALREADY_ANSWERED");
    }
    assert_eq!(world.history(&run).await, "created → asked q → asked other → answered q");
}

#[tokio::test(start_paused = true)]
async fn of_two_answers_at_once_one_is_taken() {
    let world = world().await;
    let run = world.submit(ask("q")).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    let (one, other) = (world.engine(&[], &[]).await, world.engine(&[], &[]).await);
    let (key, ada) = (Key::from("q"), Speaker::person("ada"));
    let (yes, no) = (Data::of(&true), Data::of(&false));
    let (first, second) =
        tokio::join!(one.answer(&run, &key, &yes, &ada), other.answer(&run, &key, &no, &ada));
    assert!(first.is_ok());
    assert_eq!(refusal(second).code, "ALREADY_ANSWERED");
    world.until_closed(&run).await;
    assert_eq!(world.output(&run).await, "true");
}

#[tokio::test(start_paused = true)]
async fn an_answer_after_the_deadline_is_refused_whether_or_not_anybody_works() {
    let world = world().await;
    let run = world.submit(sequence([ask("q").within(secs(600)).otherwise("0"), ask("r")])).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.kill().await;
    tokio::time::sleep(secs(601)).await;
    let fault = refusal(world.try_answer(&run, "q", "1").await);
    assert_eq!(fault.code, "DEADLINE_PASSED");
    let _worker = world.worker().await;
    world.until_event(&run, "answered q by default").await;
    let fault = refusal(world.try_answer(&run, "q", "1").await);
    assert_eq!(fault.code, "DEADLINE_PASSED");
}

#[tokio::test(start_paused = true)]
async fn a_closed_run_refuses_late_answers() {
    let world = world().await;
    let run = world.submit(race([ask("q"), timer("late", secs(60))])).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → asked q → timer_set late → timer_fired late → succeeded"
    );
    let before = world.history(&run).await;
    assert_eq!(refusal(world.try_answer(&run, "q", "1").await).code, "WITHDRAWN");
    assert_eq!(world.history(&run).await, before);
    assert!(world.inbox().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_ask_that_is_no_longer_wanted_is_withdrawn() {
    let world = world().await;
    let run =
        world.submit(sequence([race([ask("q"), timer("late", secs(60))]), ask("next")])).await;
    let _worker = world.worker().await;
    world.until_event(&run, "asked next").await;
    assert_eq!(refusal(world.try_answer(&run, "q", "1").await).code, "WITHDRAWN");
    let open: Vec<_> = world.inbox().await.into_iter().map(|ask| ask.key.to_string()).collect();
    assert_eq!(open, ["next"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_held_to_its_schema() {
    let world = world().await;
    let run = world.submit(ask("q").answered_by(r#"{"type":"integer"}"#)).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    let fault = refusal(world.try_answer(&run, "q", r#""seven""#).await);
    assert_eq!(fault.code, "CONTRACT_BREACH");
    world.answer(&run, "q", "7").await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn what_was_never_asked_cannot_be_answered() {
    let world = world().await;
    let run = world.submit(ask("q")).await;
    let fault = refusal(world.try_answer(&run, "q", "1").await);
    assert_eq!(fault.code, "INTERACTION_NOT_FOUND");
}

#[tokio::test(start_paused = true)]
async fn advice_reaches_the_workflow() {
    let world = world().await;
    let run = world.submit(race([Plan::Advice, ask("q")])).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.advise(&run, "try the other door").await;
    world.until_closed(&run).await;
    assert_eq!(world.output(&run).await, r#""try the other door""#);
}

#[tokio::test(start_paused = true)]
async fn advice_reaches_a_run_that_is_held() {
    let world = world().await;
    let run = world.submit(race([Plan::Advice, call("slow", "echo")])).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started slow").await;
    world.advise(&run, "enough").await;
    world.until_closed(&run).await;
    assert_eq!(world.output(&run).await, r#""enough""#);
}

#[tokio::test(start_paused = true)]
async fn advice_that_changes_nothing_is_noticed_once() {
    let world = world().await;
    let run = world.submit(call("slow", "echo")).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started slow").await;
    let before = world.audit().counts().loads;
    world.advise(&run, "never mind").await;
    world.until_closed(&run).await;
    let loads = world.audit().counts().loads - before;
    assert!(loads <= 2, "the run was read {loads} times");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_is_held_by_nobody() {
    let world = world().await;
    let run = world.submit(ask("q")).await;
    let _worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    assert_eq!((row.status, row.worker, row.wake_at), (Status::Waiting, None, None));
}
