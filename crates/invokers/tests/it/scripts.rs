//! Agents by script: what they answer, how they fail, and what they were given.

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use consign_engine::{
    Agent, Directory, Effect, Nanos, RunId, Settings, Status, journal::Body, store::Store,
};
use consign_invokers::{
    Scriptable,
    script::{Past, Scripts},
    settings::RunSettings,
};
use consign_testkit::{
    programs::{Order, call, sequence},
    scripted::{Outside, Scripted},
    world::{Setting, World},
};
use serde_json::Value;

use crate::stage::{SCHEMA, double, models, scripted_agent, told};

/// The past of runs, by the journal of a world that is still to come.
#[derive(Clone, Default)]
struct Journals(Arc<tokio::sync::OnceCell<Arc<dyn Store>>>);

#[async_trait]
impl Past for Journals {
    async fn called(
        &self,
        run: &RunId,
        numbers: std::ops::Range<u64>,
    ) -> Result<Vec<String>, String> {
        let store = self.0.get().unwrap();
        let events = store.events(run, consign_engine::Seq(0), 1000).await.unwrap();
        let started = events.iter().filter_map(|record| {
            let body = record.body().unwrap().unwrap();
            if let Body::CallStarted(call) = body { Some(call.agent) } else { None }
        });
        let number = |number: u64| usize::try_from(number).unwrap();
        let started = started.take(number(numbers.end)).skip(number(numbers.start));
        Ok(started.map(String::from).collect())
    }
}

fn settings(script: &str) -> (tempfile::TempDir, Settings, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (path, invocations) =
        (folder.path().join("script.json"), folder.path().join("calls.jsonl"));
    fs::write(&path, script).unwrap();
    let settings = RunSettings {
        script: Some(path),
        invocations: Some(invocations.clone()),
        ..RunSettings::default()
    };
    (folder, settings.settings(), invocations)
}

/// A world with a model and an agent in process, and scripts that may stand in for both.
async fn world() -> World {
    let past = Journals::default();
    let scripts = Arc::new(Scripts::new(Arc::new(past.clone())));
    let models = models(&double("[]"), "");
    let model = scripted_agent(&models, scripts.clone(), "openai/gpt-5-mini", SCHEMA);
    let own = Scripted::echo().agent("own", &Outside::default());
    let timeout = own.timeout;
    let invoker = Arc::new(Scriptable::new("own".into(), own.invoker.clone(), scripts, timeout));
    let world = Setting::new()
        .real("agent", model)
        .real("own", Agent { invoker, effect: Effect::Pure, ..own });
    let world = world.await;
    past.0.set(world.desk().store().clone()).ok().unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn scripts_stand_in_for_models_and_for_agents_in_process() {
    let world = world().await;
    let (_folder, settings, invocations) = settings(
        r#"[{"agent": "agent", "response": "```json\n{\"verdict\": \"accept\", \"score\": 1}\n```", "cost_usd": 0.25},
            {"agent": "own", "response": {"x": 1.10}},
            {"agent": "*", "response": "plain words", "times": 0}]"#,
    );
    let plan = sequence([
        call("a", "agent").given(r#""Judge.""#),
        call("b", "own"),
        call("c", "own"),
        call("d", "own"),
    ]);
    let run = world.submit(Order::from(plan).with_settings(settings)).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(
        world.output(&run).await,
        r#"[{"verdict": "accept", "score": 1},{"x": 1.10},"plain words","plain words"]"#
    );
    assert_eq!(row.figures.spent, Nanos::new(250_000_000));
    let calls = fs::read_to_string(invocations).unwrap();
    let first: Value = serde_json::from_str(calls.lines().next().unwrap()).unwrap();
    assert_eq!((&first["agent"], &first["prompt"]), (&"agent".into(), &"Judge.".into()));
    assert_eq!((&first["timeout_seconds"], calls.lines().count()), (&600.0.into(), 4));
}

#[tokio::test(start_paused = true)]
async fn scripted_answers_climb_the_same_ladder() {
    let world = world().await;
    let (_folder, settings, _) = settings(
        r#"[{"agent": "agent", "response": "no idea"},
            {"agent": "agent", "response": {"verdict": "reject", "score": 9}}]"#,
    );
    let run = world.submit(Order::from(call("a", "agent")).with_settings(settings)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let told = told(&world, &run).await;
    assert_eq!(told.failed[0].0.fault.code, "AI_INVALID_RESPONSE");
    let used: Value = told.completed.unwrap().used.unwrap().to().unwrap();
    assert_eq!((&used["rung"], &used["scripted"]), (&"ask_again".into(), &true.into()));
}

#[tokio::test(start_paused = true)]
async fn faults_and_delays_are_played_and_an_end_of_the_script_is_told() {
    let world = world().await;
    let (_folder, settings, _) = settings(
        r#"[{"agent": "own", "status": "error", "error_type": "INVOCATION_FAILED", "delay_ms": 5000},
            {"agent": "own", "response": 1}]"#,
    );
    let retry = consign_engine::Retry::default();
    let plan = sequence([call("a", "own").retried(retry.clone()), call("b", "own").retried(retry)]);
    let run = world.submit(Order::from(plan).with_settings(settings)).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Failed);
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → attempt_failed a INVOCATION_FAILED → attempt_started a #2 \
         → call_completed a → call_started b → call_failed b AGENT_NOT_FOUND → failed AGENT_NOT_FOUND"
    );
    assert!(row.at.since(row.created_at).as_secs() >= 5);
}

/// Has an agent in process, with the scripts of whichever process is asked.
struct Staff(Mutex<Arc<Scripts>>);

impl Directory for Staff {
    fn find(&self, name: &str) -> Option<Agent> {
        let own = Scripted::echo().agent(name, &Outside::default());
        let (scripts, timeout) = (self.0.lock().unwrap().clone(), own.timeout);
        let invoker = Arc::new(Scriptable::new(name.into(), own.invoker.clone(), scripts, timeout));
        Some(Agent { invoker, effect: Effect::Pure, ..own })
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_goes_on_elsewhere_goes_on_in_its_script() {
    let past = Journals::default();
    let process = || Arc::new(Scripts::new(Arc::new(past.clone())));
    let staff = Arc::new(Staff(Mutex::new(process())));
    let world = Setting::new().directory(staff.clone()).await;
    past.0.set(world.desk().store().clone()).ok().unwrap();
    let (_folder, settings, _) = settings(
        r#"[{"agent": "own", "response": 1}, {"agent": "own", "response": 2},
            {"agent": "own", "response": 3, "delay_ms": 60000}, {"agent": "own", "response": 4},
            {"agent": "own", "response": 5}]"#,
    );
    let plan = sequence(["a", "b", "c", "d"].map(|key| call(key, "own")));
    let run = world.submit(Order::from(plan).with_settings(settings)).await;
    let worker = world.worker().await;
    world.until_event(&run, "call_started c").await;
    world.settle().await;
    worker.kill().await;
    // Another process knows nothing but the journal, and from that, which entry the dead one took.
    *staff.0.lock().unwrap() = process();
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.output(&run).await, "[1,2,4,5]");
    world.proves(&run).await;
}
