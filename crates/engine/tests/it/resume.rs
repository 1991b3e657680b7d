//! A run goes on where it stopped, and nothing that is recorded is done again.

use consign_engine::{Left, Status};
use consign_testkit::{
    programs::{all, ask, bulk, call, count, fan_out, sequence, timer},
    scripted::{Act, Scripted},
    world::World,
};

use crate::secs;

#[tokio::test(start_paused = true)]
async fn a_fan_out_is_joined_when_all_its_parts_are_in() {
    let slow = Scripted::echo().for_key("part1", [Act::echoes().after(secs(9))]);
    let world = World::with_agent("slow", slow).await;
    let run = world.submit(fan_out(3, "slow")).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.output(&run).await, r#"["part1","part2","part3"]"#);
    assert_eq!(
        world.history(&run).await,
        "created → call_started part1 → call_started part2 → call_started part3 \
         → call_completed part2 → call_completed part3 → call_completed part1 → succeeded"
    );
}

#[tokio::test(start_paused = true)]
async fn a_fan_out_of_nothing_is_done_at_once() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(all([])).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.history(&run).await, "created → succeeded");
}

#[tokio::test(start_paused = true)]
async fn sequential_steps_cost_one_commit_each_and_one_more() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let process = world.foreground().await;
    let (submitted, drive) = process.begin(count("step", "echo", 10)).await;
    assert_eq!(process.attend(drive).await.unwrap(), Left::Closed(Status::Succeeded));
    let counts = world.audit().counts();
    assert_eq!((counts.creates, counts.commits), (1, 10));
    world.proves(&submitted.run).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_a_worker_takes_costs_one_commit_more_than_it_has_steps() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(count("step", "echo", 10)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let counts = world.audit().counts();
    assert_eq!((counts.creates, counts.claims, counts.commits), (1, 1, 11));
}

#[tokio::test(start_paused = true)]
async fn a_timer_lets_the_run_go_and_wakes_it_when_it_is_due() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(sequence([timer("nap", secs(600)), call("a", "echo")])).await;
    let _worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    assert_eq!((row.worker, row.wake_at), (None, Some(row.at + secs(600))));
    let closed = world.until_closed(&run).await;
    assert_eq!(closed.at.since(row.at), secs(600));
    assert_eq!(
        world.history(&run).await,
        "created → timer_set nap → timer_fired nap → call_started a → call_completed a → succeeded"
    );
}

#[tokio::test(start_paused = true)]
async fn another_worker_goes_on_where_a_dead_one_stopped() {
    let second = [Act::hangs(), Act::echoes()];
    let world = World::with_agent("echo", Scripted::echo().for_key("b", second)).await;
    let run = world.submit(sequence([call("a", "echo"), call("b", "echo")])).await;
    let first = world.worker().await;
    world.until_event(&run, "call_started b").await;
    first.kill().await;
    let _second = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_completed a → call_started b → attempt_lost b \
         → attempt_started b #2 → call_completed b → succeeded"
    );
    assert_eq!(world.calls("echo"), ["a", "b", "b"]);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_outlives_every_process() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(sequence([call("a", "echo"), ask("q"), call("b", "echo")])).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.kill().await;
    world.answer(&run, "q", "1").await;
    assert_eq!(world.status(&run).await, Status::Queued);
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.calls("echo"), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_small_state_is_kept_with_every_commit() {
    let steps = count("step", "echo", 100);
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(sequence([steps, ask("q")])).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started step#80").await;
    worker.kill().await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert_eq!(world.audit().counts().longest_tail, 0);
    world.answer(&run, "q", "1").await;
    world.until_closed(&run).await;
    assert_eq!(world.audit().counts().longest_tail, 1, "the answer");
}

#[tokio::test(start_paused = true)]
async fn a_large_state_is_kept_every_64_events_and_no_more_is_read_to_go_on() {
    for steps in [20, 90, 300] {
        let plan = sequence([bulk(5000), count("step", "echo", 400)]);
        let echo =
            Scripted::echo().for_key(&format!("step#{steps}"), [Act::hangs(), Act::echoes()]);
        let world = World::with_agent("echo", echo).await;
        let run = world.submit(plan).await;
        let worker = world.worker().await;
        world.until_event(&run, &format!("call_started step#{steps}")).await;
        worker.kill().await;
        let _worker = world.worker().await;
        world.until_closed(&run).await;
        let counts = world.audit().counts();
        let read = counts.longest_tail;
        assert!((1..=64).contains(&read), "{read} events were read at step {steps}");
        assert_eq!(counts.event_reads, 0);
        world.proves(&run).await;
    }
}
