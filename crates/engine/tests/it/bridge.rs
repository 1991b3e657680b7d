//! Calls that nobody makes: somebody outside answers them.

use consign_engine::{AskKind, Effect, Nanos, Status};
use consign_testkit::{
    programs::{Order, all, ask, call, race, sequence, timer},
    scripted::{Act, Scripted, usd},
    world::{World, refusal},
};

use crate::secs;

fn outsider() -> Scripted {
    Scripted::bridged(r#"{"type": "integer"}"#, None)
}

#[tokio::test(start_paused = true)]
async fn a_call_is_answered_from_outside_under_its_own_key() {
    let world = World::with_agent("outsider", outsider()).agent("echo", Scripted::echo()).await;
    let run = world.submit(sequence([call("review", "outsider"), call("then", "echo")])).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    let inbox = world.inbox().await;
    assert_eq!((inbox[0].key.as_str(), inbox[0].kind), ("review", AskKind::AgentResponse));
    world.proves(&run).await;
    // It waits at no cost: whoever drove it may go.
    worker.kill().await;
    let wrong = refusal(world.try_answer(&run, "review", r#""seven""#).await);
    assert_eq!(wrong.code, "CONTRACT_BREACH");
    world.answer(&run, "review", "7").await;
    let again = refusal(world.try_answer(&run, "review", "7").await);
    assert_eq!(again.code, "ALREADY_ANSWERED");
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Succeeded);
    assert_eq!(world.output(&run).await, r#"[7,"then"]"#);
    assert_eq!(
        world.history(&run).await,
        "created → call_started review → asked review → answered review \
         → call_completed review → call_started then → call_completed then → succeeded"
    );
    assert!(world.calls("outsider").is_empty(), "nobody is called");
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn what_it_may_cost_is_held_back_and_taken_for_spent() {
    let world = World::with_agent("outsider", outsider().at_worst(usd(2))).await;
    let plan = all([call("a", "outsider"), call("b", "outsider")]);
    let run = world.submit(Order::from(plan).may_cost(usd(3))).await;
    let _worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    assert_eq!((row.figures.spent, row.figures.reserved), (Nanos::ZERO, usd(2)));
    world.answer(&run, "a", "1").await;
    world.until_event(&run, "asked @limit@1 LIMIT_COST").await;
    let row = world.until_waiting(&run).await;
    assert_eq!((row.figures.spent, row.figures.reserved), (usd(2), Nanos::ZERO));
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn nobody_answers_in_time() {
    let late = Scripted::bridged("{}", Some(secs(600)));
    let world = World::with_agent("late", late).agent("echo", Scripted::echo()).await;
    let run = world.submit(call("a", "late").or_else(call("b", "echo"))).await;
    let _worker = world.worker().await;
    let asked = world.until_waiting(&run).await;
    let closed = world.until_closed(&run).await;
    assert_eq!(closed.at.since(asked.at), secs(600));
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → asked a → call_failed a TIMEOUT → call_started b \
         → call_completed b → succeeded"
    );
    let late = refusal(world.try_answer(&run, "a", "1").await);
    assert_eq!(late.code, "DEADLINE_PASSED");
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_no_longer_wanted_is_withdrawn() {
    let world = World::with_agent("outsider", outsider().at_worst(usd(1))).await;
    let run = world.submit(race([call("a", "outsider"), timer("late", secs(60))])).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → asked a → timer_set late → timer_fired late \
         → call_cancelled a ($1 assumed) → succeeded"
    );
    assert!(world.inbox().await.is_empty());
    assert_eq!(refusal(world.try_answer(&run, "a", "1").await).code, "WITHDRAWN");
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_no_longer_asks() {
    let world = World::with_agent("outsider", outsider()).await;
    let run = world.submit(call("a", "outsider")).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.cancel(&run).await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Cancelled);
    assert!(world.inbox().await.is_empty());
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_taken_while_another_call_is_under_way() {
    let slow = Scripted::new([Act::echoes().after(secs(60))]).kind(Effect::Unsafe);
    let world = World::with_agent("outsider", outsider()).agent("slow", slow).await;
    let run = world.submit(all([call("a", "outsider"), call("b", "slow")])).await;
    let _worker = world.worker().await;
    world.until_event(&run, "asked a").await;
    world.answer(&run, "a", "1").await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → asked a → call_started b → answered a → call_completed a \
         → call_completed b → succeeded"
    );
    assert_eq!(world.calls("slow"), ["b"]);
}

#[tokio::test(start_paused = true)]
async fn whoever_is_asked_may_decline() {
    let world = World::with_agent("outsider", outsider().at_worst(usd(2)))
        .agent("echo", Scripted::echo())
        .await;
    let run = world.submit(call("a", "outsider").or_else(call("b", "echo"))).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    assert_eq!(world.inbox().await[0].agent.as_deref(), Some("outsider"));
    worker.kill().await;
    world.try_decline(&run, "a").await.unwrap();
    world.proves(&run).await;
    let late = refusal(world.try_answer(&run, "a", "7").await);
    assert_eq!(late.code, "ALREADY_ANSWERED");
    let again = refusal(world.try_decline(&run, "a").await);
    assert_eq!(again.code, "ALREADY_ANSWERED");
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → asked a → declined a → call_failed a DECLINED ($2 assumed) \
         → call_started b → call_completed b → succeeded"
    );
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_to_a_person_is_answered_and_not_declined() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(ask("q")).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert_eq!(refusal(world.try_decline(&run, "q").await).code, "NOT_DECLINABLE");
    assert_eq!(refusal(world.try_decline(&run, "p").await).code, "INTERACTION_NOT_FOUND");
    world.answer(&run, "q", "true").await;
    world.until_closed(&run).await;
    world.proves(&run).await;
}
