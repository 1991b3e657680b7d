//! A crash anywhere changes nothing but the time it takes.

use consign_testkit::{
    crash::{Scenario, crash_everywhere, crash_twice, play, scenarios},
    programs::{call, sequence},
    scripted::{Act, Scripted},
    world::{Setting, World},
};

#[tokio::test(start_paused = true)]
async fn every_scenario_ends_the_same_wherever_its_process_dies() {
    for scenario in scenarios() {
        crash_everywhere(&scenario).await;
    }
}

#[tokio::test(start_paused = true)]
async fn every_scenario_ends_the_same_wherever_its_process_dies_twice() {
    for scenario in scenarios() {
        crash_twice(&scenario, 3).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_scenario_always_comes_by_the_same_points() {
    for scenario in scenarios() {
        let once = play(&scenario, Setting::new().place(), &[]).await;
        let again = play(&scenario, Setting::new().place(), &[]).await;
        assert_eq!(once, again);
    }
}

/// The net has no hole: an agent whose second answer is another is caught.
#[tokio::test(start_paused = true)]
#[should_panic(expected = "it ended otherwise")]
async fn a_second_attempt_that_says_something_else_is_noticed() {
    let plan = sequence([call("a", "fickle"), call("b", "fickle")]);
    let fickle = Scripted::answers(["1", "2", "3"]);
    crash_everywhere(&Scenario::new("fickle").agent("fickle", fickle).order(plan)).await;
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "held by nobody alive")]
async fn a_world_that_leaves_a_run_unattended_fails_its_test() {
    let world = World::with_agent("hangs", Scripted::new([Act::hangs()])).await;
    let run = world.submit(call("a", "hangs")).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    worker.kill().await;
}
