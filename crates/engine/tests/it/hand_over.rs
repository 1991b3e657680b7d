//! Attempts that leave something for the next one, and calls that are left to somebody else.

use consign_engine::{Fault, Retry, Status};
use consign_testkit::{
    programs::call,
    scripted::{Act, Scripted, usd},
    world::World,
};

use crate::secs;

fn garbled() -> Fault {
    Fault::transient("GARBLED", "that was no answer")
}

#[tokio::test(start_paused = true)]
async fn the_next_attempt_begins_at_once_and_does_not_count_as_a_try() {
    let agent = Scripted::new([
        Act::hands_over(garbled(), r#"{"rung":2}"#).costs(usd(1)),
        Act::hands_over(garbled(), r#"{"rung":3}"#).costs(usd(1)),
        Act::answers("7").costs(usd(1)),
    ]);
    let world = World::with_agent("agent", agent.at_worst(usd(2))).await;
    let run = world.submit(call("a", "agent").retried(Retry::NEVER)).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → attempt_failed a GARBLED ($1) → attempt_started a #2 \
         → attempt_failed a GARBLED ($1) → attempt_started a #3 → call_completed a ($1) → succeeded"
    );
    assert_eq!((row.figures.spent, row.at.since(row.created_at)), (usd(3), secs(0)));
    let handed = world.outside().handed();
    assert_eq!(handed, ["null", r#"{"rung":2}"#, r#"{"rung":3}"#]);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn what_was_handed_over_outlives_a_crash_and_a_failure_in_between() {
    let busy = Fault::transient("BUSY", "later");
    let agent = Scripted::new([
        Act::hands_over(garbled(), r#"{"rung":2}"#),
        Act::hangs(),
        Act::fails(busy),
        Act::answers("7"),
    ]);
    let world = World::with_agent("agent", agent).await;
    let retry = Retry::new(2, secs(1), secs(1));
    let run = world.submit(call("a", "agent").retried(retry)).await;
    let worker = world.worker().await;
    world.until_event(&run, "attempt_started a #2").await;
    world.settle().await;
    worker.kill().await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let two = r#"{"rung":2}"#;
    assert_eq!(world.outside().handed(), ["null", two, two, two]);
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → attempt_failed a GARBLED → attempt_started a #2 \
         → attempt_lost a → attempt_started a #3 → attempt_failed a BUSY → attempt_started a #4 \
         → call_completed a → succeeded"
    );
    assert_eq!(world.output(&run).await, "7");
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_hands_over_without_end_is_stopped() {
    let agent = Scripted::new([Act::hands_over(garbled(), "{}").costs(usd(1))]);
    let world = World::with_agent("agent", agent.at_worst(usd(1))).await;
    let run = world.submit(call("a", "agent").retried(Retry::NEVER)).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!((row.status, world.calls("agent").len()), (Status::Failed, 33));
    assert_eq!(world.output(&run).await, "failed: GARBLED: that was no answer");
    assert_eq!((row.figures.spent, row.at.since(row.created_at)), (usd(33), secs(0)));
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn what_an_agent_leaves_to_somebody_else_waits_for_them() {
    for (answer, output) in [
        (r#"{"outcome": "done", "output": 8}"#, "8"),
        (r#"{"outcome": "not_done"}"#, "7"),
        (r#"{"outcome": "failed", "message": "no use"}"#, "failed: OUTCOME_FAILED: no use"),
    ] {
        let agent = Scripted::new([
            Act::hands_over(garbled(), r#"{"rung":2}"#),
            Act::refers(garbled()),
            Act::answers("7"),
        ]);
        let world = World::with_agent("agent", agent).await;
        let run = world.submit(call("a", "agent")).await;
        let _worker = world.worker().await;
        world.until_waiting(&run).await;
        let ask = world.inbox().await.remove(0);
        assert_eq!(ask.code.as_deref(), Some("GARBLED"));
        assert!(ask.prompt.starts_with("Call a came to nothing: that was no answer."));
        world.proves(&run).await;
        world.answer(&run, "@outcome:a@2", answer).await;
        world.until_closed(&run).await;
        assert_eq!(world.output(&run).await, output);
        if output == "7" {
            // Whoever begins again begins from the start.
            assert_eq!(world.outside().handed(), ["null", r#"{"rung":2}"#, "null"]);
        }
        world.proves(&run).await;
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_has_it_tried_again_from_the_start_has_all_hand_overs_again() {
    let climb = (0..20).map(|_| Act::hands_over(garbled(), "{}")).chain([Act::refers(garbled())]);
    let acts: Vec<_> = climb.clone().chain(climb).chain([Act::answers("7")]).collect();
    let world = World::with_agent("agent", Scripted::new(acts)).await;
    let run = world.submit(call("a", "agent")).await;
    let _worker = world.worker().await;
    for asked in ["@outcome:a@21", "@outcome:a@42"] {
        world.until_waiting(&run).await;
        world.answer(&run, asked, r#"{"outcome": "not_done"}"#).await;
    }
    world.until_closed(&run).await;
    assert_eq!(world.output(&run).await, "7");
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_knows_when_there_will_be_no_further_try() {
    let busy = || Act::fails(Fault::transient("BUSY", "later"));
    let agent = Scripted::new([busy(), busy(), Act::answers("7")]);
    let world = World::with_agent("agent", agent).await;
    let retry = Retry::new(3, secs(1), secs(1));
    let run = world.submit(call("a", "agent").retried(retry)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.outside().last(), [false, false, true]);
}

#[tokio::test(start_paused = true)]
async fn words_are_heard_as_they_come_and_not_written_down() {
    let agent = Scripted::new([Act::answers("7").saying(&["mur", "mured"]).after(secs(60))]);
    let world = World::with_agent("agent", agent).await;
    let run = world.submit(call("a", "agent")).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.settle().await;
    let listening = worker.engine().listen(&run);
    let so_far = &listening.so_far[0];
    assert_eq!((&*so_far.text, so_far.attempt), ("murmured", 1));
    world.until_closed(&run).await;
    assert!(worker.engine().listen(&run).so_far.is_empty());
    let journal = format!("{:?}", world.journal(&run).await);
    assert!(journal.contains(r#""output":7"#) && !journal.contains("mur"), "{journal}");
}
