//! Workflows whose calls are refused, one after the other, before any of them begins.

use consign_engine::{
    Activity, Actor, Bound, Call, Data, Fault, Happened, Limits, Next, Outcome, Owner, Placement,
    Retry, Settings, Status, Stop, Submission, Workflow,
};
use consign_testkit::{
    draft::json,
    scripted::Scripted,
    world::{Setting, World},
};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// Calls somebody who is not there, so many times; then it is done.
struct Knocks;

#[derive(Serialize, Deserialize)]
struct Left {
    left: u64,
    knocked: u64,
}

impl Workflow for Knocks {
    type State = Left;

    fn name(&self) -> &'static str {
        "test/knocks"
    }

    fn start(&self, input: &Data) -> Result<Left, Fault> {
        let left = input.to().map_err(|why| Fault::permanent("INVALID_INPUT", why.to_string()))?;
        Ok(Left { left, knocked: 0 })
    }

    fn decide(&self, state: &Left) -> Next {
        if state.left == 0 {
            return Next::Finish(Outcome::Succeeded(Data::of(&state.knocked)));
        }
        Next::Open(vec![Activity::Call(Call {
            key: format!("knock-{}", state.knocked).as_str().into(),
            agent: "nobody".into(),
            input: json("1"),
            retry: Retry::NEVER,
        })])
    }

    fn evolve(&self, state: &mut Left, happened: &Happened<'_>) {
        if let Happened::Failed { .. } = happened {
            state.left = state.left.saturating_sub(1);
            state.knocked += 1;
        }
    }

    fn bound(&self, _: &Data, _: &Limits, _: &Settings) -> Bound {
        Bound::default()
    }
}

fn world() -> Setting {
    World::with_agent("echo", Scripted::echo()).workflow(Knocks)
}

fn knocks(times: u64) -> Submission {
    Submission {
        id: None,
        workflow: "test/knocks".to_owned(),
        input: Data::of(&times),
        owner: Owner::from("ada"),
        limits: Limits::default(),
        placement: Placement::Anywhere,
        priority: 0,
        settings: Settings::default(),
        certified: false,
        actor: Actor::from("ada"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_calls_are_refused_goes_on_for_as_long_as_its_workflow_says() {
    let world = world().await;
    let run = world.desk().submit(knocks(20_000)).await.unwrap().run;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!((row.status, world.output(&run).await.as_str()), (Status::Succeeded, "20000"));
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_begins_in_the_foreground_goes_on_likewise() {
    let world = world().await;
    let seat = world.desk().enlist().await.unwrap();
    let (submitted, drive) = seat.begin(knocks(1_500)).await.unwrap();
    let (_go_on, stop) = watch::channel(Stop::GoOn);
    seat.attend(drive, stop).await.unwrap();
    assert_eq!(world.row(&submitted.run).await.status, Status::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_workflow_that_never_comes_to_rest_is_stopped() {
    let world = world().await;
    let run = world.desk().submit(knocks(u64::MAX)).await.unwrap().run;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    let inbox = world.inbox().await;
    assert_eq!(inbox[0].code.as_deref(), Some("WORKFLOW_INVALID"));
    world.cancel(&run).await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn others_have_their_turn_before_a_restless_run_is_done() {
    let world = world().await;
    let run = world.desk().submit(knocks(u64::MAX)).await.unwrap().run;
    let worker = world.worker().await;
    world.until_event(&run, "call_failed knock-0 AGENT_NOT_FOUND").await;
    // It is told to stop in the middle, and has written down what there was.
    worker.stop(Stop::Drain).await;
    let row = world.row(&run).await;
    assert_eq!((row.status, row.worker), (Status::Queued, None));
    world.cancel(&run).await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.status, Status::Cancelled);
}
