//! Versions of a workflow that break, refuse or ask for what they may not.

use consign_engine::{
    Activity, Actor, Ask, AskKind, Bound, Data, Fault, Happened, Limits, Next, Outcome, Owner,
    Placement, Settings, Status, Submission, Timer, Version, Workflow, Workflows,
};
use consign_testkit::{
    draft::json,
    scripted::Scripted,
    world::{Setting, World, refusal},
};
use serde::{Deserialize, Serialize};

use crate::secs;

/// Waits for a minute, and is done.
#[derive(Default)]
struct Minute {
    version: Version,
    /// Panics when the minute is over.
    breaks: bool,
    /// Takes no input any more.
    strict: bool,
    /// Asks for a limit, as if it were the engine.
    usurps: bool,
}

#[derive(Serialize, Deserialize)]
struct Over(bool);

impl Workflow for Minute {
    type State = Over;

    fn name(&self) -> &'static str {
        "test/minute"
    }

    fn version(&self) -> Version {
        self.version
    }

    fn start(&self, _: &Data) -> Result<Over, Fault> {
        match self.strict {
            true => Err(Fault::permanent("INPUT_INVALID", "a field is missing")),
            false => Ok(Over(false)),
        }
    }

    fn decide(&self, over: &Over) -> Next {
        match over {
            Over(true) => Next::Finish(Outcome::Succeeded(json("1"))),
            Over(false) if self.usurps => Next::Open(vec![Activity::Ask(Ask {
                key: "q".into(),
                kind: AskKind::Limit,
                prompt: "How many?".to_owned(),
                schema: json("{}"),
                deadline: None,
                default: None,
            })]),
            Over(false) => {
                Next::Open(vec![Activity::Timer(Timer { key: "t".into(), after: secs(60) })])
            }
        }
    }

    fn evolve(&self, over: &mut Over, _: &Happened<'_>) {
        assert!(!self.breaks, "a bug");
        over.0 = true;
    }

    fn bound(&self, _: &Data, _: &Limits, _: &Settings) -> Bound {
        Bound::default()
    }

    fn upgrade(&self, _: Version, state: &Data) -> Result<Over, Fault> {
        state.to().map_err(|cause| Fault::permanent("STATE_INVALID", cause.to_string()))
    }
}

fn of(version: Version) -> Minute {
    Minute { version, ..Minute::default() }
}

fn only(minute: Minute) -> Workflows {
    Workflows::default().with(minute)
}

fn world(minute: Minute) -> Setting {
    World::with_agent("echo", Scripted::echo()).workflow(minute)
}

fn order() -> Submission {
    Submission {
        id: Some("nightly".into()),
        workflow: "test/minute".to_owned(),
        input: json("{}"),
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
async fn a_newer_version_that_breaks_in_its_first_step_can_be_mended() {
    let mut world = world(of(1)).await;
    let run = world.desk().submit(order()).await.unwrap().run;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.kill().await;
    world.deploy(only(Minute { breaks: true, ..of(2) })).await;
    let worker = world.worker().await;
    world.until_event(&run, "asked @stuck@1 WORKFLOW_PANICKED").await;
    worker.kill().await;
    world.deploy(only(of(2))).await;
    world.answer(&run, "@stuck@1", r#"{"go_on":true}"#).await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.status, Status::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn an_older_program_that_is_given_a_newer_run_by_name_does_not_take_it() {
    let mut world = world(of(3)).await;
    let run = world.desk().submit(order()).await.unwrap().run;
    world.deploy(only(of(2))).await;
    let process = world.foreground().await;
    assert_eq!(refusal(process.take(&run).await).code, "WORKFLOW_VERSION_MISSING");
    let row = world.row(&run).await;
    assert_eq!((row.version, row.status), (3, Status::Queued));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_no_program_here_knows_can_still_be_cancelled() {
    for known in [only(of(2)), Workflows::default()] {
        let mut world = world(of(3)).await;
        let run = world.desk().submit(order()).await.unwrap().run;
        world.deploy(known).await;
        let process = world.foreground().await;
        assert!(refusal(process.take(&run).await).code.starts_with("WORKFLOW_"));
        world.cancel(&run).await;
        process.take(&run).await.unwrap();
        assert_eq!(world.row(&run).await.status, Status::Cancelled);
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_engine_asks_for_limits() {
    let world = world(Minute { usurps: true, ..of(1) }).await;
    let run = world.desk().submit(order()).await.unwrap().run;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert_eq!(world.history(&run).await, "created → asked @stuck@1 WORKFLOW_INVALID");
}

/// Whoever believes that nothing runs would start it under another name.
#[tokio::test(start_paused = true)]
async fn a_repetition_gets_its_run_also_when_that_would_not_be_admitted_today() {
    let mut world = world(of(1)).await;
    let made = world.desk().submit(order()).await.unwrap();
    world.deploy(only(Minute { strict: true, ..of(2) })).await;
    let again = world.desk().submit(order()).await.unwrap();
    assert_eq!((again.run, again.repeated), (made.run, true));
    let other = Submission { id: Some("daily".into()), ..order() };
    assert_eq!(refusal(world.desk().submit(other).await).code, "INPUT_INVALID");
}
