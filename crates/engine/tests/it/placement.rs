//! Who takes which run, and when.

use std::sync::Arc;

use consign_engine::{Left, Placement, Status};
use consign_testkit::{
    programs::{Order, all, ask, call, sequence},
    scripted::{Scripted, usd},
    world::World,
};

use crate::secs;

#[tokio::test(start_paused = true)]
async fn a_foreground_run_is_its_commands_until_that_is_gone() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let plan = sequence([ask("q"), call("a", "echo"), ask("r"), call("b", "echo")]);
    let process = world.foreground().await;
    let order = Order::from(plan).placed(Placement::Foreground);
    let (submitted, drive) = process.begin(order).await;
    assert_eq!(process.attend(drive).await.unwrap(), Left::Waiting);
    let (run, _worker) = (submitted.run, world.worker().await);
    world.answer(&run, "q", "1").await;
    tokio::time::sleep(secs(5)).await;
    assert_eq!(world.status(&run).await, Status::Queued, "its command is there");
    assert_eq!(process.take(&run).await.unwrap(), Left::Waiting);
    drop(process);
    tokio::time::sleep(secs(5)).await;
    assert_eq!(world.status(&run).await, Status::Waiting);
    world.answer(&run, "r", "2").await;
    assert_eq!(world.until_closed(&run).await.status, Status::Succeeded);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_deadline_passes_without_the_command() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let plan = sequence([ask("q").within(secs(60)).otherwise("7"), call("a", "echo")]);
    let process = world.foreground().await;
    let (submitted, drive) = process.begin(Order::from(plan).placed(Placement::Foreground)).await;
    process.attend(drive).await.unwrap();
    drop(process);
    let (_one, _other) = (world.worker().await, world.worker().await);
    assert_eq!(world.until_closed(&submitted.run).await.status, Status::Succeeded);
    assert_eq!(world.output(&submitted.run).await, r#"[7,"a"]"#);
    assert_eq!(world.calls("echo"), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_its_command_left_in_the_middle_waits_for_a_command() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    for placement in [Placement::Foreground, Placement::HereOnly] {
        let run = world.submit(Order::from(call("a", "echo")).placed(placement.clone())).await;
        let process = world.foreground().await;
        drop(process.held(&run).await);
        drop(process);
        let worker = world.worker().await;
        tokio::time::sleep(secs(5)).await;
        let row = world.row(&run).await;
        assert_eq!((row.status, row.interrupted), (Status::Queued, true), "{placement}");
        worker.kill().await;
        let process = world.foreground().await;
        assert_eq!(process.take(&run).await.unwrap(), Left::Closed(Status::Succeeded));
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_may_go_on_here_only_is_left_to_commands() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let plan = sequence([ask("q"), call("a", "echo")]);
    let process = world.foreground().await;
    let (submitted, drive) = process.begin(Order::from(plan).placed(Placement::HereOnly)).await;
    process.attend(drive).await.unwrap();
    drop(process);
    let _worker = world.worker().await;
    world.answer(&submitted.run, "q", "1").await;
    tokio::time::sleep(secs(5)).await;
    assert_eq!(world.status(&submitted.run).await, Status::Queued);
    let process = world.foreground().await;
    process.take(&submitted.run).await.unwrap();
    assert_eq!(world.status(&submitted.run).await, Status::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_run_of_another_host_is_left_alone() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let there = Placement::Host(Arc::from("there"));
    let run = world.submit(Order::from(call("a", "echo")).placed(there)).await;
    let _worker = world.worker().await;
    tokio::time::sleep(secs(5)).await;
    assert_eq!(world.history(&run).await, "created");
}

#[tokio::test(start_paused = true)]
async fn the_more_urgent_run_goes_first_then_the_older_one() {
    let world = World::with_agent("echo", Scripted::echo()).at_once(1).await;
    world.submit(call("old", "echo")).await;
    world.submit(call("young", "echo")).await;
    let last = world.submit(Order::from(call("late", "echo")).priority(-1)).await;
    world.submit(Order::from(call("urgent", "echo")).priority(1)).await;
    let _worker = world.worker().await;
    world.until_closed(&last).await;
    assert_eq!(world.calls("echo"), ["urgent", "old", "young", "late"]);
}

#[tokio::test(start_paused = true)]
async fn an_attended_run_hears_what_is_delivered_to_it() {
    let world = World::with_agent("slow", crate::cancel::hangs()).await;
    let process = world.foreground().await;
    let (submitted, drive) = process.begin(call("a", "slow")).await;
    let (left, ()) = tokio::join!(process.attend(drive), async {
        world.until_event(&submitted.run, "call_started a").await;
        world.cancel(&submitted.run).await;
    });
    assert_eq!(left.unwrap(), Left::Closed(Status::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn two_attended_runs_of_one_process_each_hear_what_is_delivered() {
    let world = World::with_agent("slow", crate::cancel::hangs()).await;
    let process = world.foreground().await;
    let (one, first) = process.begin(call("a", "slow")).await;
    let (other, second) = process.begin(call("a", "slow")).await;
    let (first, second, ()) = tokio::join!(process.attend(first), process.attend(second), async {
        world.settle().await;
        world.cancel(&one.run).await;
        world.cancel(&other.run).await;
    });
    assert_eq!(first.unwrap(), Left::Closed(Status::Cancelled));
    assert_eq!(second.unwrap(), Left::Closed(Status::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_begins_with_a_wait_or_an_end_is_never_held() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let process = world.foreground().await;
    let (submitted, drive) = process.begin(ask("q")).await;
    assert_eq!(process.attend(drive).await.unwrap(), Left::Waiting);
    assert_eq!(world.history(&submitted.run).await, "created → asked q");
    let (submitted, drive) = process.begin(all([])).await;
    assert_eq!(process.attend(drive).await.unwrap(), Left::Closed(Status::Succeeded));
    world.proves(&submitted.run).await;
    assert_eq!(world.audit().counts().commits, 0);
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_owner_has_nothing_left_begins_with_a_wait() {
    let dear = Scripted::echo().at_worst(usd(5));
    let world = World::with_agent("dear", dear).await;
    world.cap("ada", usd(4)).await;
    let process = world.foreground().await;
    let (submitted, drive) = process.begin(call("a", "dear")).await;
    assert_eq!(process.attend(drive).await.unwrap(), Left::Waiting);
    assert_eq!(world.history(&submitted.run).await, "created → asked @limit@1 LIMIT_OWNER");
    world.cap("ada", usd(5)).await;
    let _worker = world.worker().await;
    world.until_closed(&submitted.run).await;
}
