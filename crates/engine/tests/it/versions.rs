//! Newer workflows take over what older ones began; broken ones stand still until they are mended.

use consign_engine::{Error, RunId, Status, Submission, Workflows, store};
use consign_testkit::{
    draft::json,
    programs::{Order, Plan, Programs, all, ask, bulk, call, sequence, timer},
    scripted::{Act, Scripted},
    world::{World, refusal},
};

use crate::secs;

fn only(programs: Programs) -> Workflows {
    Workflows::default().with(programs)
}

fn both() -> Workflows {
    only(Programs::version(1)).with(Programs::version(2))
}

const GO_ON: &str = r#"{"go_on":true}"#;

/// A run that the first version left waiting for an answer.
async fn waiting(plan: Plan) -> (World, RunId) {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(sequence([plan, ask("q"), call("last", "echo")])).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.kill().await;
    (world, run)
}

#[tokio::test(start_paused = true)]
async fn a_newer_version_goes_on_from_the_state_of_the_older() {
    let (mut world, run) = waiting(call("a", "echo")).await;
    world.deploy(only(Programs::version(2))).await;
    world.answer(&run, "q", "1").await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.version, 2);
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_completed a → asked q → answered q → upgraded 1 to 2 \
         → call_started last → call_completed last → succeeded"
    );
    let blind = world.verify(&run, None).await.unwrap();
    assert!(blind.state.unwrap_err().contains("1 is not here"));
    world.deploy(both()).await;
    world.proves(&run).await;
}

/// A run whose large state is older than what the first version did since, and a dead worker.
async fn with_a_tail() -> (World, RunId) {
    let echo = Scripted::echo().for_key("b", [Act::hangs(), Act::echoes()]);
    let world = World::with_agent("echo", echo).await;
    let plan = sequence([bulk(5000), call("a", "echo"), call("b", "echo"), call("c", "echo")]);
    let run = world.submit(plan).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started b").await;
    worker.kill().await;
    (world, run)
}

#[tokio::test(start_paused = true)]
async fn what_the_older_version_did_is_folded_by_it_before_the_newer_takes_over() {
    let (mut world, run) = with_a_tail().await;
    world.deploy(both()).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_completed a → call_started b → upgraded 1 to 2 \
         → attempt_lost b → attempt_started b #2 → call_completed b → call_started c \
         → call_completed c → succeeded"
    );
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_missing_is_waited_for() {
    let (mut world, run) = with_a_tail().await;
    world.deploy(only(Programs::version(2))).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    assert!(world.history(&run).await.ends_with("asked @stuck@1 WORKFLOW_VERSION_MISSING"));
    worker.kill().await;
    world.deploy(both()).await;
    world.answer(&run, "@stuck@1", GO_ON).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.calls("echo"), ["a", "b", "b", "c"]);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_newer_version_can_put_right_what_one_before_it_could_not() {
    let (mut world, run) = waiting(call("a", "echo")).await;
    world.deploy(only(Programs::version(2).from_scratch())).await;
    world.answer(&run, "q", "1").await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    assert!(world.history(&run).await.ends_with("asked @stuck@1 WORKFLOW_VERSION_MISSING"));
    worker.kill().await;
    world.deploy(only(Programs::version(3))).await;
    world.answer(&run, "@stuck@1", GO_ON).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn an_older_program_leaves_a_newer_run_alone() {
    let mut world =
        World::with_agent("echo", Scripted::echo()).workflow(Programs::version(2)).await;
    let run = world.submit(sequence([ask("q"), call("a", "echo")])).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.kill().await;
    world.answer(&run, "q", "1").await;
    world.deploy(only(Programs::version(1))).await;
    let older = world.worker().await;
    world.pass(secs(20)).await;
    assert_eq!(world.row(&run).await.status, Status::Queued);
    world.deploy(both()).await;
    let _newer = world.worker().await;
    world.until_closed(&run).await;
    older.kill().await;
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_workflow_that_panics_stands_still_until_it_is_mended() {
    let mut world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(sequence([call("a", "echo"), Plan::Trap, call("b", "echo")])).await;
    let other = world.submit(sequence([timer("t", secs(5)), call("a", "echo")])).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_completed a → asked @stuck@1 WORKFLOW_PANICKED"
    );
    assert_eq!(world.until_closed(&other).await.status, Status::Succeeded);
    worker.kill().await;
    world.deploy(only(Programs::default().mended())).await;
    world.answer(&run, "@stuck@1", GO_ON).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.calls("echo"), ["a", "a", "b"]);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_workflow_that_panics_at_a_result_keeps_the_result() {
    let mut world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(sequence([call("poison", "echo"), call("b", "echo")])).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started poison → call_completed poison → asked @stuck@1 WORKFLOW_PANICKED"
    );
    worker.kill().await;
    world.deploy(only(Programs::default().mended())).await;
    world.answer(&run, "@stuck@1", GO_ON).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.calls("echo"), ["poison", "b"]);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_workflow_that_is_still_broken_is_asked_about_again() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(Plan::Trap).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.answer(&run, "@stuck@1", GO_ON).await;
    world.until(&run, "asks again", |row| row.seq.0 == 3).await;
    world.until_waiting(&run).await;
    assert_eq!(world.inbox().await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_broken_workflow_keeps_nobody_busy_when_its_timers_come_due() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let late = all([timer("t", secs(60)), ask("q").within(secs(70))]);
    let run = world.submit(all([late, sequence([call("a", "echo"), Plan::Trap])])).await;
    let _worker = world.worker().await;
    world.until_event(&run, "asked @stuck@1 WORKFLOW_PANICKED").await;
    world.pass(secs(120)).await;
    assert_eq!(world.status(&run).await, Status::Waiting);
}

#[tokio::test(start_paused = true)]
async fn what_is_under_way_may_end_while_the_workflow_is_broken() {
    let slow = Scripted::echo().for_key("slow", [Act::echoes().after(secs(60))]);
    let mut world = World::with_agent("echo", slow).await;
    let run = world.submit(all([call("slow", "echo"), sequence([ask("q"), Plan::Trap])])).await;
    let worker = world.worker().await;
    world.until_event(&run, "asked q").await;
    world.answer(&run, "q", "1").await;
    world.until_waiting(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started slow → asked q → answered q → asked @stuck@1 WORKFLOW_PANICKED \
         → call_completed slow"
    );
    worker.kill().await;
    world.deploy(only(Programs::default().mended())).await;
    world.answer(&run, "@stuck@1", GO_ON).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.calls("echo"), ["slow"]);
}

#[tokio::test(start_paused = true)]
async fn a_workflow_that_breaks_the_rules_of_its_keys_stands_still() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let twice = all([call("a", "echo"), call("a", "echo")]);
    let _worker = world.worker().await;
    for plan in
        [Plan::Nothing, twice, call("@limit@1", "echo"), call("", "echo"), call("ä", "echo")]
    {
        let run = world.submit(plan).await;
        world.until_waiting(&run).await;
        assert_eq!(world.history(&run).await, "created → asked @stuck@1 WORKFLOW_INVALID");
    }
    assert!(world.calls("echo").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_could_answer_is_not_asked() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let _worker = world.worker().await;
    let senseless = ask("q").answered_by(r#"{"type":"nothing"}"#);
    let late = ask("q").answered_by(r#"{"type":"boolean"}"#).within(secs(5)).otherwise("7");
    for plan in [senseless, late] {
        let run = world.submit(plan).await;
        world.until_waiting(&run).await;
        assert_eq!(world.history(&run).await, "created → asked @stuck@1 WORKFLOW_INVALID");
    }
}

#[tokio::test(start_paused = true)]
async fn what_no_workflow_can_begin_is_refused() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let good = Order::from(ask("q")).submission();
    let unknown = Submission { workflow: "nobody/knows".to_owned(), ..good.clone() };
    assert_eq!(refusal(world.desk().submit(unknown).await).code, "WORKFLOW_NOT_FOUND");
    let bad = Submission { input: json(r#"{"plan":7}"#), ..good };
    assert_eq!(refusal(world.desk().submit(bad).await).code, "PLAN_INVALID");
    assert!(world.rows().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_submission_that_is_repeated_under_its_name_makes_one_run() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let order = || Order::from(call("a", "echo")).named("letter-7");
    let first = world.try_submit(order()).await.unwrap();
    assert_eq!((first.run.as_str(), first.repeated), ("letter-7", false));
    let _worker = world.worker().await;
    for closed in [false, true] {
        let again = world.try_submit(order()).await.unwrap();
        assert_eq!((again.run.as_str(), again.repeated), ("letter-7", true));
        assert_eq!(again.certificate, first.certificate);
        if !closed {
            world.until_closed(&first.run).await;
        }
    }
    assert_eq!(world.calls("echo"), ["a"]);
    let others = [
        Order::from(call("b", "echo")).named("letter-7"),
        Order::from(call("a", "echo")).named("letter-7").owned_by("bob"),
    ];
    for other in others {
        assert_eq!(refusal(world.try_submit(other).await).code, "RUN_EXISTS");
    }
    for bad in ["", "-a", "a/b", "a:b", "ä", "a b", &"a".repeat(65)] {
        let order = Order::from(call("a", "echo")).named(bad);
        assert_eq!(refusal(world.try_submit(order).await).code, "INVALID_RUN_ID", "{bad:?}");
    }
    assert_eq!(world.rows().await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_run_of_a_name_begins_in_one_place() {
    let world = World::with_agent("echo", Scripted::echo()).await;
    let run = world.submit(Order::from(call("a", "echo")).named("one")).await;
    let process = world.foreground().await;
    let begun = process.try_begin(Order::from(call("a", "echo")).named("one")).await;
    assert!(matches!(begun, Err(Error::Store(store::Error::Exists(name))) if name == run));
    process.take(&run).await.unwrap();
    assert_eq!(world.row(&run).await.status, Status::Succeeded);
}
