//! Jobs as durable runs, in a world whose processes die.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::sync::Arc;

use consign_authoring::{
    job::{APPROVAL, JobOutcome, rule_agents, workflows},
    publish::OpenRepository,
};
use consign_contracts::{
    authoring::{ProtoResult, TraceResult},
    json::Json,
    wire::Message,
};
use consign_engine::{
    Actor, Agents, Data, Key, Limits, Owner, Placement, RunId, Settings, Speaker, Status,
    Submission, Workflows, store::Row,
};
use consign_testkit::{
    crash::{Gate, Trips},
    world::{Observer, Setting, World, hooked::Hook},
};

use crate::repository::{Double, One, sample};

const TRACE: &str = r#"{"type":"trace","payload":{"spec":"Scenario: User login\nGiven a registered user\nThen they see the dashboard"}}"#;
const PROTO: &str =
    r#"{"type":"proto","payload":{"goal":"A todo list"},"requiresStrictValidation":true}"#;
const SCRIBE: &str = r#"{"type":"scribe","payload":{"owner":"o","repo":"r","baseBranch":"main","requiresApproval":true},"settings":{"model":"rules"},"submitted":1707350400000000}"#;

fn setting() -> Setting {
    setting_of(&sample())
}

fn setting_of(double: &Double) -> Setting {
    let repositories: Arc<dyn OpenRepository> = Arc::new(One(double.clone()));
    let agents = rule_agents(Agents::default(), &repositories);
    agents.known().fold(Setting::new(), |setting, (name, agent)| setting.real(name, agent.clone()))
}

async fn world(setting: Setting) -> World {
    let mut world = setting.await;
    world.deploy(workflows(Workflows::default())).await;
    world
}

fn job(input: &str) -> Submission {
    let input = Data::parse(input).unwrap();
    let kind = input.tree().unwrap().get("type").and_then(Json::as_str).unwrap().to_owned();
    Submission {
        id: Some(RunId::from("0b6f7a52-3a86-4c43-9f0a-0f9a3d0c1e11")),
        workflow: format!("authoring/{kind}"),
        input,
        owner: Owner::from("ada"),
        limits: Limits::standard(),
        placement: Placement::Anywhere,
        priority: 0,
        settings: Settings::default(),
        certified: false,
        actor: Actor::from("ada"),
    }
}

async fn outcome(world: &World, run: &RunId) -> JobOutcome {
    Data::parse(world.output(run).await).unwrap().to().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_trace_is_planned_and_made() {
    let world = world(setting()).await;
    let run = world.desk().submit(job(TRACE)).await.unwrap().run;
    assert_eq!(world.row(&run).await.label.as_deref(), Some("pending"));
    let worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started plan → call_completed plan → call_started make → call_completed make → succeeded"
    );
    assert_eq!(world.row(&run).await.label.as_deref(), Some("completed"));
    let made = outcome(&world, &run).await;
    assert!(TraceResult::contract().schema().is_valid(&made.result.tree().unwrap()));
    assert_eq!((made.ai, made.plan.steps.len()), (None, 2));
    world.proves(&run).await;
    worker.kill().await;
}

#[tokio::test(start_paused = true)]
async fn a_proto_is_looked_over() {
    let world = world(setting()).await;
    let run = world.desk().submit(job(PROTO)).await.unwrap().run;
    let worker = world.worker().await;
    world.until_closed(&run).await;
    let history = world.history(&run).await;
    assert!(
        history.ends_with("call_started reflect → call_completed reflect → succeeded"),
        "{history}"
    );
    let made = outcome(&world, &run).await;
    assert!(ProtoResult::contract().schema().is_valid(&made.result.tree().unwrap()));
    assert!(made.result.as_str().contains("\"reflection\""));
    worker.kill().await;
}

#[tokio::test(start_paused = true)]
async fn a_scribe_waits_for_approval_when_everything_is_written() {
    let double = sample();
    let world = world(setting_of(&double)).await;
    let run = world.desk().submit(job(SCRIBE)).await.unwrap().run;
    let worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    assert_eq!(row.label.as_deref(), Some("awaiting_approval"));
    assert_eq!(double.writes(), Vec::<String>::new());
    world.answer(&run, "approval", r#"{"approved": false, "why": "no"}"#).await;
    let row = world.until_closed(&run).await;
    assert_eq!((row.status.as_str(), row.label.as_deref()), ("failed", Some("failed")));
    assert_eq!(world.output(&run).await, "failed: JOB_REJECTED: Job rejected by user: no");
    worker.kill().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_job_is_labelled_failed() {
    let world = world(setting()).await;
    let run = world.desk().submit(job(TRACE)).await.unwrap().run;
    world.cancel(&run).await;
    let worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!((row.status.as_str(), row.label.as_deref()), ("cancelled", Some("failed")));
    worker.kill().await;
}

/// What a person does about a job, besides submitting it.
#[derive(Clone, Copy)]
enum Wish {
    Nothing,
    Approve,
    Cancel,
}

/// Plays a job through with deaths at these points. Gives how it ended and the points that it came by.
async fn play(input: &str, wish: Wish, at: &[usize]) -> (String, Vec<String>) {
    let double = sample();
    let world = world(setting_of(&double)).await;
    let trips = Trips::at(at);
    let run = job(input).id.unwrap();
    loop {
        let gate = Arc::new(Gate::new(trips.clone()));
        let (hook, observer): (Arc<dyn Hook>, Arc<dyn Observer>) = (gate.clone(), gate.clone());
        let engine = world.engine(&[hook], &[observer]).await;
        let process = tokio::select! {
            biased;
            () = gate.tripped() => continue,
            process = world.worker_on(engine.clone()) => process,
        };
        // A caller repeats what it does not know to have arrived.
        let work = async {
            engine.submit(job(input)).await.unwrap();
            let stands = |row: &Row| row.status.is_closed() || row.status == Status::Waiting;
            let ada = Speaker::person("ada");
            // What is refused was done before the crash.
            match wish {
                Wish::Nothing => {}
                Wish::Approve => {
                    let row = world.until(&run, "it asks or is over", stands).await;
                    if row.status == Status::Waiting {
                        let yes = Data::parse(r#"{"approved": true}"#).unwrap();
                        let _ = engine.answer(&run, &Key::from(APPROVAL), &yes, &ada).await;
                    }
                }
                Wish::Cancel => {
                    world.until(&run, "it asks or is over", stands).await;
                    let _ = engine.cancel(&run, None, &ada).await;
                }
            }
            world.until_closed(&run).await;
        };
        let over = tokio::select! {
            biased;
            () = gate.tripped() => false,
            () = work => true,
        };
        process.kill().await;
        if over {
            break;
        }
    }
    assert_eq!(world.rows().await.len(), 1);
    world.proves(&run).await;
    let row = world.row(&run).await;
    let end = match row.status {
        Status::Cancelled => format!("cancelled, {:?}", row.label),
        Status::Queued | Status::Running | Status::Waiting | Status::Succeeded | Status::Failed => {
            world.output(&run).await
        }
    };
    // Whatever died: every write was made once.
    let writes = double.writes();
    let once: std::collections::BTreeSet<&String> = writes.iter().collect();
    assert_eq!(once.len(), writes.len(), "{writes:?}");
    (end, trips.points())
}

async fn dies_everywhere(input: &str, wish: Wish) -> String {
    let (end, points) = play(input, wish, &[]).await;
    assert!(points.len() > 8, "{points:?}");
    for (at, point) in points.iter().enumerate() {
        let (crashed, _) = play(input, wish, &[at]).await;
        assert_eq!(crashed, end, "killed {point}");
    }
    end
}

#[tokio::test(start_paused = true)]
async fn a_trace_ends_the_same_wherever_its_processes_die() {
    dies_everywhere(TRACE, Wish::Nothing).await;
}

#[tokio::test(start_paused = true)]
async fn an_approval_counts_once_wherever_processes_die() {
    let end = dies_everywhere(SCRIBE, Wish::Approve).await;
    assert!(end.starts_with(r#"{"result":"#), "{end}");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_job_stays_so_wherever_processes_die() {
    let end = dies_everywhere(SCRIBE, Wish::Cancel).await;
    assert_eq!(end, r#"cancelled, Some("failed")"#);
}
