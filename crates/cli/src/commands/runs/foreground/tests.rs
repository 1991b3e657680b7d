//! What no sample workflow does: waiting for nothing but time, and for an agent outside.

use std::time::Duration;

use anstream::ColorChoice;
use consign_app::runs::{Start, begin};
use consign_engine::{
    Activity, Agents, Ask, AskKind, Bound, Data, Fault, Happened, Key, Limits, Next, Outcome,
    Owner, Placement, Settings, Status, Timer, Workflow, Workflows,
};

use super::*;
use crate::{commands::runs::waits, engine::runtime};

/// Wants one thing, and is finished when it has come.
struct One(&'static str, Activity);

impl Workflow for One {
    type State = bool;

    fn name(&self) -> &str {
        self.0
    }

    fn start(&self, _input: &Data) -> Result<bool, Fault> {
        Ok(false)
    }

    fn decide(&self, came: &bool) -> Next {
        match came {
            true => Next::Finish(Outcome::Succeeded(Data::null())),
            false => Next::Open(vec![self.1.clone()]),
        }
    }

    fn evolve(&self, came: &mut bool, happened: &Happened<'_>) {
        *came |= matches!(happened, Happened::Fired { .. } | Happened::Answered { .. });
    }

    fn bound(&self, _input: &Data, _limits: &Limits, _settings: &Settings) -> Bound {
        Bound::default()
    }
}

/// Starts a run of a workflow with one activity and goes on with it.
fn ended(activity: Activity) -> Ended {
    let home = tempfile::tempdir().unwrap();
    runtime().unwrap().block_on(async {
        let workflows = Workflows::default().with(One("test/one", activity));
        let home = home.path().to_owned();
        let session =
            Session::with(home, |_, _, _, _| (workflows, Agents::default())).await.unwrap();
        let output = Output::new(true, ColorChoice::Never);
        let mut foreground = Foreground::new(&session.engine).await.unwrap();
        let start = Start {
            id: None,
            workflow: "test/one".to_owned(),
            input: Data::null(),
            owner: Owner::from("local"),
            limits: Limits::default(),
            placement: Placement::Foreground,
            priority: 0,
            settings: Settings::default(),
            certified: false,
            actor: session.user.actor.clone(),
        };
        let (submitted, drive) = begin(&session.engine, &mut foreground, start).await.unwrap();
        go_on(&session, &mut foreground, &submitted.run, drive, &output, true).await.unwrap()
    })
}

#[test]
fn a_run_that_waits_for_time_alone_is_sat_out() {
    // Longer than a drive would hold the run for.
    let after = Duration::from_millis(600);
    let ended = ended(Activity::Timer(Timer { key: Key::from("pause"), after }));
    let Ended::Closed(row) = ended else { panic!("it was not sat out") };
    assert_eq!(row.status, Status::Succeeded);
    assert!(row.at.since(row.created_at) >= after);
}

#[test]
fn a_run_that_waits_for_an_agent_outside_has_an_exit_code_of_its_own() {
    let asked = |kind| {
        let ended = ended(Activity::Ask(Ask {
            key: Key::from("review"),
            kind,
            prompt: "Review it.".to_owned(),
            schema: Data::parse("{}").unwrap(),
            deadline: None,
            default: None,
        }));
        let Ended::Waiting(_, asks) = ended else { panic!("it does not wait") };
        waits::exit(&asks)
    };
    assert_eq!(asked(AskKind::AgentResponse), Exit::WaitsForAgent);
    assert_eq!(asked(AskKind::Clarification), Exit::WaitsForPerson);
}
