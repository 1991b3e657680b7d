//! While the other side is asked what became of an attempt, the run is not out of reach.

use consign_engine::{Effect, RunId, Status, Stop};
use consign_testkit::{
    programs::{call, fan_out},
    scripted::{Act, Scripted},
    world::{Process, World},
};

use crate::secs;

/// The other side never says what became of an attempt.
fn silent() -> Scripted {
    Scripted::new([Act::hangs()]).kind(Effect::Keyed).probed_in_vain()
}

/// A world in which a process died, and another one is asking the other side about three calls.
async fn probing() -> (World, RunId, Process) {
    let world = World::with_agent("silent", silent()).await;
    let run = world.submit(fan_out(3, "silent")).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started part3").await;
    worker.kill().await;
    let worker = world.worker().await;
    world.until(&run, "is taken", |row| row.worker.as_ref() == Some(worker.worker())).await;
    world.settle().await;
    (world, run, worker)
}

#[tokio::test(start_paused = true)]
async fn all_that_was_lost_is_asked_about_at_once() {
    let (world, run, _worker) = probing().await;
    let asked = world.row(&run).await.at;
    world.until_event(&run, "attempt_started part3 #2").await;
    let waited = world.row(&run).await.at.since(asked);
    assert!(waited <= secs(31), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn who_is_told_to_stop_at_once_does_not_wait_for_the_other_side() {
    let (world, run, worker) = probing().await;
    let told = tokio::time::Instant::now();
    worker.stop(Stop::Now).await;
    assert!(told.elapsed() <= secs(1), "{:?}", told.elapsed());
    assert_eq!(world.status(&run).await, Status::Queued);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_does_not_wait_for_the_other_side_longer_than_for_an_agent() {
    let (world, run, _worker) = probing().await;
    let wished = tokio::time::Instant::now();
    world.cancel(&run).await;
    world.until_closed(&run).await;
    assert!(wished.elapsed() <= secs(11), "{:?}", wished.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_that_is_being_asked_about_is_given_up_like_any_other() {
    let world = World::with_agent("silent", silent().timeout(secs(20))).await;
    let run = world.submit(call("a", "silent")).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    tokio::time::sleep(secs(21)).await;
    assert_eq!(world.outside().probes(), ["a"]);
    let wished = tokio::time::Instant::now();
    world.cancel(&run).await;
    world.until_closed(&run).await;
    assert!(wished.elapsed() <= secs(11), "{:?}", wished.elapsed());
}
