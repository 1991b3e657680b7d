//! Processes stop when they are told to, and lose what they must lose and nothing else.

use std::sync::Arc;

use consign_engine::{Error, Left, Report, Status, Stop, Worker, store};
use consign_testkit::{
    draft::json,
    programs::{call, fan_out, sequence, timer},
    scripted::{Act, Scripted},
    world::{Forger, Outage, Turnstile, World},
};
use tokio::sync::{mpsc, watch};

use crate::{millis, secs};

fn slow() -> Scripted {
    Scripted::echo().for_key("a", [Act::echoes().after(secs(30)), Act::echoes()])
}

#[tokio::test(start_paused = true)]
async fn a_draining_process_writes_down_what_ends_and_begins_nothing() {
    let world = World::with_agent("slow", slow()).await;
    let run = world.submit(sequence([call("a", "slow"), call("b", "slow")])).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    worker.stop(Stop::Drain).await;
    assert_eq!(world.history(&run).await, "created → call_started a → call_completed a");
    assert_eq!(world.status(&run).await, Status::Queued);
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.calls("slow"), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_process_that_stops_at_once_leaves_what_is_under_way_lost() {
    let world = World::with_agent("slow", slow()).await;
    let run = world.submit(call("a", "slow")).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    worker.stop(Stop::Now).await;
    assert_eq!(world.status(&run).await, Status::Queued);
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → attempt_lost a → attempt_started a #2 → call_completed a \
         → succeeded"
    );
}

#[tokio::test(start_paused = true)]
async fn who_drains_for_too_long_can_be_stopped_at_once() {
    let world = World::with_agent("slow", slow()).await;
    let run = world.submit(call("a", "slow")).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    worker.tell(Stop::Drain);
    world.settle().await;
    assert!(!worker.is_over());
    worker.stop(Stop::Now).await;
    assert_eq!(world.history(&run).await, "created → call_started a");
    assert_eq!(world.status(&run).await, Status::Queued);
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_comes_during_a_commit_is_not_missed() {
    for stop in [Stop::Drain, Stop::Now] {
        let turnstile = Arc::new(Turnstile::new());
        let hangs = Scripted::new([Act::hangs()]);
        let world = World::with_agent("hangs", hangs).watched_by(turnstile.clone()).await;
        // A short timer is sat out by the worker: nothing is in flight.
        let run =
            world.submit(sequence([timer("nap", millis(200)), timer("long", secs(60))])).await;
        turnstile.shut();
        let worker = world.worker().await;
        turnstile.holds_somebody().await;
        worker.tell(stop);
        turnstile.open();
        assert!(over(&world, worker).await, "{stop:?} was missed");
        assert_eq!(world.status(&run).await, Status::Queued);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_at_once_that_comes_while_a_call_is_written_down_does_not_wait_for_it() {
    let turnstile = Arc::new(Turnstile::new());
    let hangs = Scripted::new([Act::hangs()]);
    let world = World::with_agent("hangs", hangs).watched_by(turnstile.clone()).await;
    let run = world.submit(call("a", "hangs")).await;
    turnstile.shut();
    let worker = world.worker().await;
    turnstile.holds_somebody().await;
    worker.tell(Stop::Now);
    turnstile.open();
    assert!(over(&world, worker).await, "it waits for a call");
    assert_eq!(world.status(&run).await, Status::Queued);
}

/// Whether a process that was told to stop does so without waiting for anything.
async fn over(world: &World, worker: consign_testkit::world::Process) -> bool {
    world.settle().await;
    let over = worker.is_over();
    if !over {
        worker.kill().await;
        world.worker().await.stop(Stop::Now).await;
    }
    over
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_taken_for_dead_can_write_no_more() {
    let acts = [Act::echoes().after(secs(30)), Act::echoes().after(secs(60))];
    let world = World::with_agent("slow", Scripted::new(acts)).await;
    let run = world.submit(call("a", "slow")).await;
    let first = world.worker().await;
    world.until_event(&run, "call_started a").await;
    first.presume_dead();
    let second = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(first.left(&run), Some(Left::Taken));
    assert_eq!(second.left(&run), Some(Left::Closed(Status::Succeeded)));
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → attempt_lost a → attempt_started a #2 → call_completed a \
         → succeeded"
    );
    assert_eq!(world.audit().holder(&run), None);
}

#[tokio::test(start_paused = true)]
async fn two_workers_never_hold_the_same_run() {
    let slow = Scripted::new([Act::echoes().after(millis(130))]);
    let world = World::with_agent("slow", slow).at_once(3).await;
    let mut runs = Vec::new();
    for _ in 0..30 {
        runs.push(world.submit(fan_out(2, "slow")).await);
    }
    let (first, second) = (world.worker().await, world.worker().await);
    for run in &runs {
        world.until_closed(run).await;
        assert!(first.left(run).is_some() != second.left(run).is_some());
    }
    assert_eq!(world.calls("slow").len(), 60);
    assert!(!first.reports().is_empty() && !second.reports().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_store_that_cannot_write_for_a_moment_is_waited_for() {
    let outage = Arc::new(Outage::default());
    let world = World::with_agent("slow", slow()).watched_by(outage.clone()).await;
    let run = world.submit(sequence([call("a", "slow"), call("b", "slow")])).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    outage.lasts(4);
    world.until_closed(&run).await;
    assert_eq!(world.calls("slow"), ["a", "b"], "what came in was kept");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_cannot_write_for_long_ends_the_worker_and_its_runs_are_reclaimed() {
    let outage = Arc::new(Outage::default());
    let world = World::with_agent("slow", slow()).watched_by(outage.clone()).await;
    let run = world.submit(call("a", "slow")).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    outage.lasts(1000);
    let error = worker.fails().await;
    assert!(matches!(error, Error::Store(store::Error::Unavailable(_))), "{error}");
    outage.lasts(0);
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.calls("slow"), ["a", "a"]);
}

#[tokio::test(start_paused = true)]
async fn a_patient_worker_waits_for_its_store_and_says_so_once() {
    let outage = Arc::new(Outage::default());
    let world = World::with_agent("slow", slow()).watched_by(outage.clone()).await;
    let run = world.submit(call("a", "slow")).await;
    let seat = world.desk().enlist().await.unwrap();
    let (stop, stopped) = watch::channel(Stop::GoOn);
    let (tell, mut told) = mpsc::unbounded_channel();
    let worker = Worker::new(seat, None, 10).patient().work(stopped, move |report| {
        let _ = tell.send(report);
    });
    let worker = tokio::spawn(worker);
    world.until_event(&run, "call_started a").await;
    outage.lasts(usize::MAX);
    while !matches!(told.recv().await, Some(Report::Unavailable(_))) {}
    // Far longer than anybody else would wait.
    world.pass(secs(3600)).await;
    assert!(told.try_recv().is_err() && !worker.is_finished());
    outage.lasts(0);
    assert!(matches!(told.recv().await, Some(Report::Available)));
    // Its runs are taken up again, and so are those that come.
    let next = world.submit(call("b", "slow")).await;
    world.until_closed(&run).await;
    world.until_closed(&next).await;
    stop.send_replace(Stop::Drain);
    worker.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_patient_worker_does_not_wait_for_what_is_lost() {
    let outage = Arc::new(Outage::default());
    let world = World::with_agent("slow", slow()).watched_by(outage.clone()).await;
    let run = world.submit(call("a", "slow")).await;
    outage.loses(true);
    let seat = world.desk().enlist().await.unwrap();
    let (_go_on, stopped) = watch::channel(Stop::GoOn);
    let ended = Worker::new(seat, None, 10).patient().work(stopped, |_| ()).await;
    assert!(matches!(ended, Err(Error::Store(store::Error::Lost(_)))), "{ended:?}");
    outage.loses(false);
    let _worker = world.worker().await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_cannot_be_read_is_put_aside_and_the_others_go_on() {
    let forger = Arc::new(Forger::default());
    let world = World::with_agent("slow", slow()).watched_by(forger.clone()).await;
    let damaged = world.submit(call("a", "slow")).await;
    let sound = world.submit(call("b", "slow")).await;
    forger.state(&damaged, json(r#"{"neither":"frame nor state"}"#));
    let worker = world.worker().await;
    world.until_closed(&sound).await;
    world.pass(secs(60)).await;
    assert_eq!(world.status(&damaged).await, Status::Waiting);
    let told = worker.reports();
    let told =
        told.iter().filter(|report| matches!(report, Report::Damaged(run, _) if *run == damaged));
    assert_eq!(told.count(), 1, "nobody keeps trying");
    assert_eq!(world.history(&damaged).await, "created", "nothing is made worse");
}

#[tokio::test(start_paused = true)]
async fn whose_keeper_is_gone_works_on_and_is_not_kept_busy_by_it() {
    let world = World::with_agent("slow", slow()).await;
    let process = world.foreground().await;
    let (submitted, drive) = process.begin(call("a", "slow")).await;
    let (left, ()) = tokio::join!(process.attend(drive), world.pass(secs(20)));
    assert_eq!(left.unwrap(), Left::Closed(Status::Succeeded));
    world.proves(&submitted.run).await;
}
