//! Forks and retries: a new run goes on where another one stood, and nothing that was done is done again.

use std::sync::Arc;

use consign_engine::{
    Effect, Fault, Fork, ForkAt, Limits, Placement, RunId, Seq, Speaker, Status, Submitted,
};
use consign_testkit::{
    programs::{Order, Plan, Programs, all, ask, call, sequence},
    scripted::{Act, Scripted, usd},
    world::{Forger, Process, World, refusal},
};

use crate::{broken, secs};

pub(crate) async fn world(agent: Scripted) -> World {
    World::with_agent("agent", agent).workflow(Programs::default().marking()).await
}

pub(crate) fn fork(parent: &RunId, at: ForkAt) -> Fork {
    Fork {
        parent: parent.clone(),
        at,
        id: None,
        limits: Limits::default(),
        placement: Placement::Anywhere,
        settings: None,
        input: None,
        repeat_unsafe: false,
        by: Speaker::person("ada"),
    }
}

pub(crate) async fn forked(world: &World, parent: &RunId, at: ForkAt) -> Submitted {
    world.desk().fork(fork(parent, at)).await.expect("it can be forked")
}

pub(crate) async fn retried(world: &World, parent: &RunId) -> RunId {
    forked(world, parent, ForkAt::Failure).await.run
}

/// So many calls, one after the other: `s1`, `s2` and so on.
fn steps(count: usize) -> Plan {
    sequence((1..=count).map(|step| call(&format!("s{step}"), "agent")))
}

/// A run of eight steps that failed at the sixth.
pub(crate) async fn failed_at_the_sixth(agent: Scripted) -> (World, RunId, Process) {
    let world = world(agent.for_key("s6", [Act::fails(broken()), Act::answers("6")])).await;
    let run = world.submit(steps(8)).await;
    let worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.status, Status::Failed);
    (world, run, worker)
}

#[tokio::test(start_paused = true)]
async fn a_retry_repeats_nothing_that_was_done() {
    let (world, parent, _worker) = failed_at_the_sixth(Scripted::echo()).await;
    assert_eq!(world.calls("agent"), ["s1", "s2", "s3", "s4", "s5", "s6"]);
    let child = retried(&world, &parent).await;
    assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
    assert_eq!(world.calls("agent")[6..], ["s6", "s7", "s8"]);
    assert_eq!(world.output(&child).await, r#"["s1","s2","s3","s4","s5",6,"s7","s8"]"#);
    assert_eq!(
        world.history(&child).await,
        "created → forked at 15 → point_reached s5 → call_started s6 → call_completed s6 → point_reached s6 \
         → call_started s7 → call_completed s7 → point_reached s7 → call_started s8 → call_completed s8 \
         → point_reached s8 → succeeded"
    );
    world.proves(&parent).await;
    let proof = world.verify(&child, None).await.expect("it holds");
    assert_eq!(proof.state, Ok(()));
    let parents: Vec<_> = proof.parents.iter().map(|parent| (&parent.run, &parent.state)).collect();
    assert_eq!(parents, [(&parent, &Ok(()))]);
}

#[tokio::test(start_paused = true)]
async fn a_retry_of_a_retry_names_both() {
    let agent = Scripted::echo().for_key("s8", [Act::fails(broken()), Act::answers("8")]);
    let (world, first, _worker) = failed_at_the_sixth(agent).await;
    let second = retried(&world, &first).await;
    assert_eq!(world.until_closed(&second).await.status, Status::Failed);
    let third = retried(&world, &second).await;
    assert_eq!(world.until_closed(&third).await.status, Status::Succeeded);
    assert_eq!(world.calls("agent")[6..], ["s6", "s7", "s8", "s8"]);
    let proof = world.verify(&third, None).await.expect("it holds");
    let parents: Vec<_> = proof.parents.into_iter().map(|parent| parent.run).collect();
    assert_eq!(parents, [second, first]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_goes_on_where_it_was() {
    let agent = Scripted::echo().for_key("s3", [Act::hangs(), Act::answers("3")]);
    let world = world(agent).await;
    let run = world.submit(steps(4)).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started s3").await;
    world.settle().await;
    world.cancel(&run).await;
    assert_eq!(world.until_closed(&run).await.status, Status::Cancelled);
    let child = retried(&world, &run).await;
    assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
    assert_eq!(world.calls("agent"), ["s1", "s2", "s3", "s3", "s4"]);
    world.proves(&child).await;
}

#[tokio::test(start_paused = true)]
async fn of_those_side_by_side_only_what_failed_is_repeated() {
    let agent = Scripted::echo()
        .for_key("b", [Act::fails(broken()).after(secs(2)), Act::answers("2")])
        // It is told to stop when `b` fails, and has come to something all the same.
        .for_key("c", [Act::answers("3").after(secs(3)).deaf()]);
    let world = world(agent).await;
    let plan = sequence([
        call("first", "agent"),
        all([call("a", "agent"), call("b", "agent"), call("c", "agent")]),
    ]);
    let run = world.submit(plan).await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.status, Status::Failed);
    let child = retried(&world, &run).await;
    assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
    assert_eq!(world.calls("agent"), ["first", "a", "b", "c", "b"]);
    assert_eq!(world.output(&child).await, r#"["first",["a",2,3]]"#);
    world.proves(&child).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_forked_at_each_of_its_points() {
    let world = world(Scripted::echo()).await;
    let run = world.submit(steps(20)).await;
    let worker = world.worker().await;
    world.until_closed(&run).await;
    let points = world.desk().points(&run).await.expect("the journal can be read");
    let names: Vec<_> = points.iter().map(|point| point.name.clone()).collect();
    let expected: Vec<_> = (1..=20).map(|step| format!("s{step}")).collect();
    assert_eq!(names[0], "start");
    assert_eq!(names[1..], expected);
    for (done, name) in names.iter().enumerate().take(20) {
        let before = world.calls("agent").len();
        let child = forked(&world, &run, ForkAt::Point(name.clone())).await.run;
        assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
        assert_eq!(world.calls("agent")[before..], expected[done..], "after {name}");
        assert_eq!(world.output(&child).await, world.output(&run).await);
        world.proves(&child).await;
    }
    let end = world.desk().fork(fork(&run, ForkAt::Point("s20".to_owned()))).await;
    assert_eq!(refusal(end).code, "FORK_IMPOSSIBLE");
    drop(worker);
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_forked_after_each_of_its_events() {
    let world = world(Scripted::echo().each(|act| act.costs(usd(1))).at_worst(usd(2))).await;
    let plan =
        sequence([call("s1", "agent"), all([call("s2", "agent"), ask("q")]), call("s3", "agent")]);
    let run = world.submit(plan).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.answer(&run, "q", "7").await;
    let row = world.until_closed(&run).await;
    let journal = world.journal(&run).await;
    let last_call = journal.iter().rposition(|event| event.kind == "call_started");
    for seq in 0..row.seq.0 {
        let child = world.desk().fork(fork(&run, ForkAt::Event(Seq(seq)))).await;
        // From there on all is done, or under way and kept.
        if last_call.is_some_and(|last| seq >= last as u64) {
            assert_eq!(refusal(child).code, "FORK_IMPOSSIBLE", "at {seq}");
            continue;
        }
        let child = child.expect("it can be forked").run;
        let stands = world.until(&child, "stands still", |row| {
            row.status.is_closed() || row.status == Status::Waiting
        });
        if stands.await.status == Status::Waiting {
            world.answer(&child, "q", "7").await;
        }
        assert_eq!(world.until_closed(&child).await.status, Status::Succeeded, "at {seq}");
        assert_eq!(world.output(&child).await, world.output(&run).await, "at {seq}");
        world.proves(&child).await;
    }
    let past = world.desk().fork(fork(&run, ForkAt::Event(Seq(999)))).await;
    assert_eq!(refusal(past).code, "EVENT_NOT_FOUND");
    let nowhere = world.desk().fork(fork(&run, ForkAt::Point("nowhere".to_owned()))).await;
    assert_eq!(refusal(nowhere).code, "POINT_NOT_FOUND");
}

#[tokio::test(start_paused = true)]
async fn an_unsafe_call_of_unknown_outcome_is_asked_about_first() {
    let agent = Scripted::new([Act::hangs().deaf(), Act::answers("2")]).kind(Effect::Unsafe);
    let world = world(agent).await;
    let run = world.submit(call("a", "agent")).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.settle().await;
    world.cancel(&run).await;
    world.until_closed(&run).await;
    let child = retried(&world, &run).await;
    world.until_waiting(&child).await;
    let asks = world.inbox().await;
    assert_eq!(asks[0].key.as_str(), "@outcome:a@1");
    assert!(asks[0].prompt.contains(&format!("idempotency key {run}:a")), "{}", asks[0].prompt);
    assert_eq!(world.calls("agent"), ["a"]);
    world.answer(&child, "@outcome:a@1", r#"{"outcome": "not_done"}"#).await;
    assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
    assert_eq!(world.calls("agent"), ["a", "a"]);
    world.proves(&child).await;
}

#[tokio::test(start_paused = true)]
async fn a_keyed_call_is_made_again_under_the_key_of_its_first_run() {
    let lost = Fault::outcome_unknown("CUT_OFF", "the line went dead");
    let agent = Scripted::new([Act::fails(lost).with_effect(), Act::answers("2")]);
    let world = world(agent.kind(Effect::Keyed)).await;
    let run = world.submit(call("a", "agent")).await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.status, Status::Failed);
    let child = retried(&world, &run).await;
    world.until_closed(&child).await;
    let keys: Vec<_> = world.outside().effects().into_keys().collect();
    assert_eq!(keys, [format!("{run}:a")]);
}

#[tokio::test(start_paused = true)]
async fn what_a_person_said_failed_is_simply_made_again() {
    let agent = Scripted::new([Act::hangs(), Act::answers("2")]).kind(Effect::Unsafe);
    let world = world(agent).await;
    let run = world.submit(call("a", "agent")).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.settle().await;
    worker.kill().await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.answer(&run, "@outcome:a@1", r#"{"outcome": "failed"}"#).await;
    assert_eq!(world.until_closed(&run).await.status, Status::Failed);
    let child = retried(&world, &run).await;
    assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
    world.proves(&child).await;
}

#[tokio::test(start_paused = true)]
async fn what_expired_is_asked_again() {
    let world = world(Scripted::echo()).await;
    let plan = sequence([call("a", "agent"), ask("q").within(secs(60))]);
    let run = world.submit(plan).await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.status, Status::Failed);
    let child = retried(&world, &run).await;
    world.until_waiting(&child).await;
    world.answer(&child, "q", "1").await;
    assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
    assert_eq!(world.calls("agent"), ["a"]);
    world.proves(&child).await;
}

#[tokio::test(start_paused = true)]
async fn a_fork_spends_from_nothing_and_its_owner_pays_for_both() {
    let agent = Scripted::echo().each(|act| act.costs(usd(2))).at_worst(usd(2));
    let agent = agent.for_key("s3", [Act::fails(broken()), Act::answers("3").costs(usd(2))]);
    let world = world(agent).await;
    let run = world.submit(Order::from(steps(3)).may_cost(usd(7))).await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.figures.spent, usd(4));
    let child = retried(&world, &run).await;
    let figures = world.until_closed(&child).await.figures;
    assert_eq!((figures.spent, figures.cap), (usd(2), Some(usd(7))));
    assert_eq!(world.account("ada").await.spent, usd(6));
}

#[tokio::test(start_paused = true)]
async fn only_what_failed_or_was_cancelled_can_be_retried() {
    let world = world(Scripted::echo()).await;
    let run = world.submit(sequence([ask("q"), call("a", "agent")])).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    let open = world.desk().fork(fork(&run, ForkAt::Failure)).await;
    assert_eq!(refusal(open).code, "INVALID_STATE");
    // A run that waits can be forked all the same: both ask.
    let child = forked(&world, &run, ForkAt::Point("start".to_owned())).await.run;
    world.until_waiting(&child).await;
    assert_eq!(world.inbox().await.len(), 2);
    for run in [&run, &child] {
        world.answer(run, "q", "1").await;
        world.until_closed(run).await;
    }
    let done = world.desk().fork(fork(&run, ForkAt::Failure)).await;
    assert_eq!(refusal(done).code, "INVALID_STATE");
}

#[tokio::test(start_paused = true)]
async fn the_same_fork_under_the_same_name_is_made_once() {
    let (world, parent, _worker) = failed_at_the_sixth(Scripted::echo()).await;
    let named = Fork { id: Some("again".into()), ..fork(&parent, ForkAt::Failure) };
    let first = world.desk().fork(named.clone()).await.expect("it is made");
    assert!(!first.repeated);
    world.until_closed(&first.run).await;
    let second = world.desk().fork(named).await.expect("it is found");
    assert_eq!((second.run, second.repeated), (first.run, true));
    assert_eq!(world.calls("agent").len(), 9);
}

#[tokio::test(start_paused = true)]
async fn a_fork_does_not_hold_if_its_parent_was_changed() {
    let forger = Arc::new(Forger::default());
    let agent = Scripted::echo().for_key("b", [Act::fails(broken()), Act::answers("2")]);
    let world = World::with_agent("agent", agent).watched_by(forger.clone()).await;
    let parent = world.submit(sequence([call("a", "agent"), call("b", "agent")])).await;
    let _worker = world.worker().await;
    world.until_closed(&parent).await;
    let child = retried(&world, &parent).await;
    world.until_closed(&child).await;
    world.proves(&child).await;
    let mut journal = world.journal(&parent).await;
    journal.swap(1, 2);
    forger.journal(&parent, journal);
    let why = world.verify(&child, None).await.expect_err("its parent was changed").to_string();
    assert!(why.starts_with(&format!("run {parent}, which it was forked from")), "{why}");
}

#[tokio::test(start_paused = true)]
async fn a_command_can_fork_and_go_on_itself() {
    let (world, parent, worker) = failed_at_the_sixth(Scripted::echo()).await;
    worker.kill().await;
    let process = world.foreground().await;
    let here = Fork { placement: Placement::Foreground, ..fork(&parent, ForkAt::Failure) };
    let (submitted, drive) = process.fork(here).await.expect("it is forked");
    process.attend(drive).await.expect("it goes on");
    assert_eq!(world.status(&submitted.run).await, Status::Succeeded);
    world.proves(&submitted.run).await;
}
