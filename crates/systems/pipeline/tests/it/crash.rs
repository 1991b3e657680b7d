//! A pipeline with a question and a critic that is not content at first, with a crash at every place
//! where there can be one.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use consign_engine::{RunId, Workflows};
use consign_pipeline::{AgentScope, Pipeline, PipelineInput, workflows};
use consign_testkit::{
    crash::{Gate, Trips},
    world::{Observer, Setting, World, hooked::Hook},
};

use crate::{
    drive::{MORNING, ended, submission},
    row::Row,
    script::Script,
};

/// The row: four stages, a clarification, a reintent.
fn row() -> Row {
    let row = r#"
        name = "crashing"
        pipeline = "short"
        script = { intent = ["unclear *1", "clear"], critic = ["again"], execution = ["found", "!BUSY~"] }
        answers = ['"the red one"']
    "#;
    toml::from_str(row).unwrap()
}

struct Played {
    envelope: String,
    /// How often each call was tried.
    tried: BTreeMap<String, u32>,
    points: Vec<String>,
    deaths: usize,
}

async fn play(row: &Row, at: &[usize]) -> Played {
    let (pipeline, script) = (row.pipeline(), Script::new(&row.script));
    let agents = script.agents(&pipeline);
    let setting = agents
        .known()
        .fold(Setting::new(), |setting, (name, agent)| setting.real(name, agent.clone()));
    let mut world = setting.await;
    world.deploy(workflows(&agents, Workflows::default())).await;
    let trips = Trips::at(at);
    let run = RunId::new("crashing");
    loop {
        let gate = Arc::new(Gate::new(trips.clone()));
        let (hook, observer): (Arc<dyn Hook>, Arc<dyn Observer>) = (gate.clone(), gate.clone());
        let engine = world.engine(&[hook], &[observer]).await;
        let process = tokio::select! {
            biased;
            () = gate.tripped() => continue,
            process = world.worker_on(engine.clone()) => process,
        };
        let day = attend(row, &pipeline, &world, &engine, &run);
        let over = tokio::select! {
            biased;
            () = gate.tripped() => false,
            () = day => true,
        };
        process.kill().await;
        if over {
            break;
        }
    }
    world.proves(&run).await;
    let envelope = ended(&world, &run).await;
    let envelope = row.normal(&envelope).to_string();
    Played { envelope, tried: script.tried(), points: trips.points(), deaths: trips.deaths() }
}

/// Submits the run unless it is there, answers what is asked, and waits until it is over.
async fn attend(
    row: &Row,
    pipeline: &Pipeline,
    world: &World,
    engine: &consign_engine::Engine,
    run: &RunId,
) {
    let errand = PipelineInput::new(pipeline, &row.envelope(), AgentScope::default(), MORNING);
    let mut submission = submission(&errand);
    submission.id = Some(run.clone());
    engine.submit(submission).await.unwrap();
    while !world.status(run).await.is_closed() {
        for ask in world.inbox().await {
            let answer = consign_engine::Data::parse(row.answers[0].as_str()).unwrap();
            // Somebody may have answered before the crash.
            let _ = engine
                .answer(run, &ask.key, &answer, &consign_engine::Speaker::person("ada"))
                .await;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_pipeline_survives_a_crash_at_every_point() {
    let row = row();
    let first = play(&row, &[]).await;
    assert!(first.envelope.contains("completed_successfully"), "{}", first.envelope);
    assert!(first.points.len() > 60, "only {} points", first.points.len());
    let calls: u32 = first.tried.values().sum();
    for (number, point) in first.points.iter().enumerate() {
        let again = play(&row, &[number]).await;
        let mark = format!("a crash at {number}: {point}");
        assert_eq!(again.deaths, 1, "{mark}");
        assert_eq!(again.envelope, first.envelope, "{mark}");
        // Only the attempt that the crash took is made again.
        let keys = |played: &Played| played.tried.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&again), keys(&first), "{mark}");
        let more: u32 = again.tried.values().sum::<u32>() - calls;
        assert!(more <= 1, "{mark}: {:?} instead of {:?}", again.tried, first.tried);
        let lost = point.starts_with("after attempt") || point.starts_with("before");
        assert!(more == 0 || lost, "{mark}: {:?} instead of {:?}", again.tried, first.tried);
    }
}
