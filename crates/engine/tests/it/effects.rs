//! What is repeated after a crash or a timeout, what is asked about, and what is asked of a person.

use consign_engine::{Effect, Fault, Nanos, Probe, Reply, Retry, RunId, Status};
use consign_testkit::{
    draft::json,
    programs::call,
    scripted::{Act, Scripted, usd},
    world::{Process, World, refusal},
};

use crate::secs;

/// A world in which a process died while `a` was under way, and another one took over.
async fn after_a_crash(agent: Scripted) -> (World, RunId, Process) {
    let world = World::with_agent("agent", agent).await;
    let run = world.submit(call("a", "agent")).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.settle().await;
    worker.kill().await;
    let worker = world.worker().await;
    (world, run, worker)
}

fn first_hangs(kind: Effect) -> Scripted {
    Scripted::new([Act::hangs(), Act::answers("2")]).kind(kind)
}

/// Has its effect, and dies before it can say so.
fn first_is_cut_off(kind: Effect) -> Scripted {
    let unknown = Fault::outcome_unknown("CUT_OFF", "the line went dead");
    Scripted::new([Act::fails(unknown).with_effect(), Act::answers("2")]).kind(kind)
}

#[tokio::test(start_paused = true)]
async fn pure_and_idempotent_calls_are_simply_repeated() {
    for kind in [Effect::Pure, Effect::Idempotent] {
        let (world, run, _worker) = after_a_crash(first_hangs(kind)).await;
        world.until_closed(&run).await;
        assert_eq!(
            world.history(&run).await,
            "created → call_started a → attempt_lost a → attempt_started a #2 \
             → call_completed a → succeeded"
        );
        assert!(world.outside().probes().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_keyed_call_that_the_other_side_has_done_is_not_repeated() {
    let done = Probe::Done(Reply::new(json("7"), usd(1)));
    let agent = first_hangs(Effect::Keyed).at_worst(usd(5)).probed(done);
    let (world, run, _worker) = after_a_crash(agent).await;
    let row = world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_completed a probed ($1) → succeeded"
    );
    assert_eq!((world.output(&run).await.as_str(), row.figures.spent), ("7", usd(1)));
    assert_eq!(world.calls("agent"), ["a"]);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_keyed_call_of_which_the_other_side_knows_nothing_is_repeated_with_its_key() {
    for says in [Probe::NotDone, Probe::Unknown] {
        let (world, run, _worker) = after_a_crash(first_hangs(Effect::Keyed).probed(says)).await;
        world.until_closed(&run).await;
        assert_eq!(world.outside().probes(), ["a"]);
        assert_eq!(world.calls("agent"), ["a", "a"]);
        let keys: Vec<_> = world.outside().effects().into_keys().collect();
        assert_eq!(keys, [format!("{run}:a")], "one key for every attempt");
    }
}

#[tokio::test(start_paused = true)]
async fn a_probe_without_an_answer_is_given_up() {
    let (world, run, _worker) = after_a_crash(first_hangs(Effect::Keyed).probed_in_vain()).await;
    let row = world.until_closed(&run).await;
    assert!((30..=31).contains(&row.at.since(row.created_at).as_secs()));
    assert_eq!(world.calls("agent"), ["a", "a"]);
}

#[tokio::test(start_paused = true)]
async fn what_the_other_side_says_it_did_is_held_to_the_contract() {
    let done = Probe::Done(Reply::new(json(r#""seven""#), Nanos::ZERO));
    let agent = first_hangs(Effect::Keyed).gives(r#"{"type":"integer"}"#).probed(done);
    let (world, run, _worker) = after_a_crash(agent).await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Failed, "{}", world.history(&run).await);
    assert!(world.history(&run).await.ends_with("failed CONTRACT_BREACH"));
}

#[tokio::test(start_paused = true)]
async fn an_unsafe_call_whose_outcome_is_unknown_is_asked_about_and_not_repeated() {
    let (world, run, _worker) = after_a_crash(first_hangs(Effect::Unsafe)).await;
    world.until_waiting(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → attempt_lost a → asked @outcome:a@1 OUTCOME_UNKNOWN"
    );
    let ask = &world.inbox().await[0];
    assert_eq!(ask.kind.as_str(), "intervention");
    assert!(ask.prompt.contains(&format!("{run}:a")), "{}", ask.prompt);
    world.pass(secs(60)).await;
    assert_eq!(world.calls("agent"), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_person_says_that_it_was_done() {
    let (world, run, _worker) = after_a_crash(first_hangs(Effect::Unsafe)).await;
    world.until_waiting(&run).await;
    world.answer(&run, "@outcome:a@1", r#"{"outcome":"done","output":5}"#).await;
    world.until_closed(&run).await;
    assert_eq!(world.output(&run).await, "5");
    assert_eq!(world.calls("agent"), ["a"]);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn what_a_person_says_was_the_output_is_held_to_the_contract() {
    let agent = first_hangs(Effect::Unsafe).gives(r#"{"type":"integer"}"#);
    let (world, run, _worker) = after_a_crash(agent).await;
    world.until_waiting(&run).await;
    for wrong in [r#"{"outcome":"done","output":"five"}"#, r#"{"outcome":"done"}"#] {
        let refused = world.try_answer(&run, "@outcome:a@1", wrong).await;
        assert!(refused.is_err(), "{wrong} was taken: {}", world.history(&run).await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_says_that_it_was_not_done() {
    let (world, run, _worker) = after_a_crash(first_hangs(Effect::Unsafe)).await;
    world.until_waiting(&run).await;
    world.answer(&run, "@outcome:a@1", r#"{"outcome":"not_done"}"#).await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → attempt_lost a → asked @outcome:a@1 OUTCOME_UNKNOWN \
         → answered @outcome:a@1 → attempt_started a #2 → call_completed a → succeeded"
    );
}

/// Whoever looked into the first attempt knows nothing of the second.
#[tokio::test(start_paused = true)]
async fn a_late_answer_about_an_earlier_attempt_is_not_taken_for_one_about_this() {
    let hangs = Scripted::new([Act::hangs()]).kind(Effect::Unsafe);
    let (world, run, worker) = after_a_crash(hangs).await;
    world.until_waiting(&run).await;
    world.answer(&run, "@outcome:a@1", r#"{"outcome":"not_done"}"#).await;
    world.until_event(&run, "attempt_started a #2").await;
    world.settle().await;
    worker.kill().await;
    let _worker = world.worker().await;
    world.until_event(&run, "asked @outcome:a@2 OUTCOME_UNKNOWN").await;
    let late = world.try_answer(&run, "@outcome:a@1", r#"{"outcome":"not_done"}"#).await;
    assert_eq!(refusal(late).code, "ALREADY_ANSWERED");
    world.pass(secs(60)).await;
    assert_eq!(world.calls("agent"), ["a", "a"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_its_process_with_it_each_time_rests_in_between() {
    let (world, run, mut worker) = after_a_crash(Scripted::new([Act::hangs()])).await;
    let mut began = Vec::new();
    for attempt in 2..=14 {
        world.until_event(&run, &format!("attempt_started a #{attempt}")).await;
        world.settle().await;
        began.push(world.row(&run).await.at);
        worker.kill().await;
        worker = world.worker().await;
    }
    world.until_waiting(&run).await;
    let rests: Vec<_> = began.windows(2).map(|two| two[1].since(two[0]).as_secs()).collect();
    assert_eq!(rests, [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);
}

#[tokio::test(start_paused = true)]
async fn a_person_says_that_it_failed() {
    let (world, run, _worker) = after_a_crash(first_hangs(Effect::Unsafe)).await;
    world.until_waiting(&run).await;
    let answer = r#"{"outcome":"failed","message":"the bank said no"}"#;
    world.answer(&run, "@outcome:a@1", answer).await;
    world.until_closed(&run).await;
    assert_eq!(world.output(&run).await, "failed: OUTCOME_FAILED: the bank said no");
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn an_unsafe_call_that_breaks_off_is_asked_about_and_was_done_once() {
    let agent = first_is_cut_off(Effect::Unsafe);
    let world = World::with_agent("agent", agent).await;
    let run = world.submit(call("a", "agent").retried(Retry::default())).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → attempt_lost a CUT_OFF → asked @outcome:a@1 OUTCOME_UNKNOWN"
    );
    assert_eq!(world.outside().effects()[&format!("{run}:a")], 1);
}

#[tokio::test(start_paused = true)]
async fn a_keyed_call_that_breaks_off_is_asked_about_on_the_other_side() {
    let agent = first_is_cut_off(Effect::Keyed).probed_honestly();
    let world = World::with_agent("agent", agent).await;
    let run = world.submit(call("a", "agent").retried(Retry::default())).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_completed a → succeeded"
    );
    assert_eq!(world.outside().effects()[&format!("{run}:a")], 1);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_is_tried_again_unless_it_may_have_done_harm() {
    let retry = Retry::new(2, secs(1), secs(1));
    for kind in [Effect::Pure, Effect::Idempotent, Effect::Keyed, Effect::Unsafe] {
        let agent = first_hangs(kind).timeout(secs(30)).at_worst(usd(3));
        let world = World::with_agent("agent", agent).await;
        let run = world.submit(call("a", "agent").retried(retry.clone())).await;
        let _worker = world.worker().await;
        if kind == Effect::Unsafe {
            world.until_waiting(&run).await;
            assert_eq!(
                world.history(&run).await,
                "created → call_started a → attempt_lost a TIMEOUT ($3 assumed) \
                 → asked @outcome:a@1 OUTCOME_UNKNOWN"
            );
        } else {
            world.until_closed(&run).await;
            assert_eq!(
                world.history(&run).await,
                "created → call_started a → attempt_failed a TIMEOUT ($3 assumed) \
                 → attempt_started a #2 → call_completed a → succeeded",
                "{kind:?}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_unsafe_agent_that_panics_is_asked_about() {
    let agent = Scripted::new([Act::panics()]).kind(Effect::Unsafe);
    let world = World::with_agent("agent", agent).await;
    let run = world.submit(call("a", "agent").retried(Retry::default())).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert!(world.history(&run).await.ends_with("asked @outcome:a@1 OUTCOME_UNKNOWN"));
    assert_eq!(world.calls("agent"), ["a"]);
}
