//! A run that is over is redacted: its chain holds, and nothing can be had from it any more.

use consign_engine::{Error, ForkAt, Redaction, RunId, Seq, Speaker, Status, store};
use consign_testkit::{
    programs::{ask, call, sequence},
    scripted::Scripted,
    world::{World, refusal},
};

use crate::fork::{failed_at_the_sixth, fork, forked, retried};

/// A run that asked, was answered and succeeded.
async fn over() -> (World, RunId) {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(sequence([call("a", "echo"), ask("q"), call("b", "echo")])).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.answer(&run, "q", "1").await;
    assert_eq!(world.until_closed(&run).await.status, Status::Succeeded);
    (world, run)
}

async fn redact(world: &World, run: &RunId) -> Redaction {
    world.desk().redact(run, &Speaker::person("ada")).await.expect("it is over")
}

fn is_redacted<T: std::fmt::Debug>(result: Result<T, Error>, run: &RunId) {
    match result {
        Err(Error::Store(store::Error::Redacted(erased))) if erased == *run => {}
        other => panic!("expected that {run} is redacted, found {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn the_chain_of_a_redacted_run_holds_and_its_state_cannot_be_told() {
    let (world, run) = over().await;
    let head = world.journal(&run).await.last().expect("events").hash;
    assert_eq!(redact(&world, &run).await, Redaction::Done);
    let journal = world.journal(&run).await;
    let (last, before) = journal.split_last().expect("events");
    assert_eq!((last.kind.as_ref(), last.actor.as_str()), ("redacted", "ada"));
    assert!(before.iter().all(|record| record.body() == Ok(None)));
    // A head that was kept elsewhere is still one of its events.
    let proof = world.verify(&run, Some(head)).await.expect("it holds");
    assert_eq!((proof.events, proof.head), (journal.len() as u64, last.hash));
    assert_eq!(proof.state, Err("event 0 is redacted".to_owned()));
    let row = world.desk().store().row(&run).await.expect("it is there");
    assert_eq!((row.status, row.redacted), (Status::Succeeded, true));
}

#[tokio::test(start_paused = true)]
async fn once_more_changes_nothing() {
    let (world, run) = over().await;
    redact(&world, &run).await;
    let journal = world.journal(&run).await;
    assert_eq!(redact(&world, &run).await, Redaction::Already);
    assert_eq!(world.journal(&run).await, journal);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_not_over_is_left_as_it_is() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(ask("q")).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    let journal = world.journal(&run).await;
    let refused = world.desk().redact(&run, &Speaker::person("ada")).await;
    assert_eq!(refusal(refused).code, "INVALID_STATE");
    assert_eq!(world.journal(&run).await, journal);
    world.answer(&run, "q", "1").await;
    assert_eq!(world.until_closed(&run).await.status, Status::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn nothing_can_be_had_from_a_redacted_run() {
    let (world, run) = over().await;
    redact(&world, &run).await;
    let desk = world.desk();
    is_redacted(desk.state(&run).await, &run);
    is_redacted(desk.usage(&run).await, &run);
    is_redacted(desk.points(&run).await, &run);
    for at in [ForkAt::Event(Seq(1)), ForkAt::Point("start".to_owned()), ForkAt::Failure] {
        is_redacted(desk.fork(fork(&run, at)).await, &run);
    }
    let value = consign_engine::Data::null();
    let late = desk.answer(&run, &"q".into(), &value, &Speaker::person("ada")).await;
    is_redacted(late, &run);
    assert_eq!(desk.answer_to(&run, &"q".into()).await.expect("it can be read"), None);
}

#[tokio::test(start_paused = true)]
async fn a_fork_outlives_the_redaction_of_its_parent() {
    let (world, parent, _worker) = failed_at_the_sixth(Scripted::echo()).await;
    let child = retried(&world, &parent).await;
    assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
    redact(&world, &parent).await;
    let proof = world.verify(&child, None).await.expect("it holds");
    assert_eq!(proof.state, Ok(()));
    let [told] = proof.parents.as_slice() else { panic!("it has one parent: {proof:?}") };
    assert_eq!(told.run, parent);
    let why = told.state.as_ref().expect_err("its state is erased");
    assert!(why.contains("redacted"), "{why}");
    // It can be forked further; what only its parent knew is gone.
    let points = world.desk().points(&child).await.expect("its own points");
    assert!(points.iter().all(|point| point.run == child) && !points.is_empty(), "{points:?}");
    let again = forked(&world, &child, ForkAt::Event(Seq(5))).await.run;
    assert_eq!(world.until_closed(&again).await.status, Status::Succeeded);
    let point = world.desk().fork(fork(&child, ForkAt::Point("s1".to_owned()))).await;
    assert_eq!(refusal(point).code, "POINT_NOT_FOUND");
}
