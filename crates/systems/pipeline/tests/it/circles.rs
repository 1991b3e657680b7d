//! Envelopes that go in circles, with nobody to be called on the way.

use std::sync::Arc;

use consign_contracts::{
    envelope::{Envelope, TerminalReason},
    json::{Json, Object},
    wire::{Integer, Nullable},
};
use consign_engine::{Agents, Carrier, Owner, RunId, Workflows};
use consign_pipeline::{
    Bounds, ENVELOPE, Errand, Journey, Pipeline, Place,
    carry::carry,
    envelope::{Names, Session, fresh},
    file::{self, Source},
    workflows,
};
use consign_testkit::world::Setting;

use crate::drive::{MORNING, ended, submission};

/// Two stages that lead to each other when they fail, as both do.
fn circle(input: &str) -> Arc<Pipeline> {
    let stage = |name: &str, other: &str| {
        format!(
            "[[stage]]\nname = \"{name}\"\nagent = \"nobody\"\ninput = {input}\n\
             default_next = \"end\"\nerror_next = \"{other}\"\n"
        )
    };
    let text = format!("name = \"circle\"\n{}{}", stage("a", "b"), stage("b", "a"));
    Arc::new(file::read(&Source::toml(&text).unwrap()).unwrap())
}

fn envelope(hops: i64) -> Envelope {
    let bounds = Bounds { iterations: 3, llm_calls: 10, agent_hops: hops, stages: 5 };
    let names = Names { envelope: [1; 8], request: [2; 8], session: Session::New([3; 8]) };
    fresh("Where is it?", "ada", &names, &bounds, MORNING)
}

fn hops(envelope: &Envelope) -> Option<i64> {
    let reached = Some(Nullable(Some(TerminalReason::MaxAgentHopsExceeded)));
    assert_eq!(envelope.terminal_reason, reached);
    envelope.agent_hop_count.as_ref().and_then(Integer::as_i64)
}

/// Whoever wrote the whole envelope at each turn would be at it for hours.
#[test]
fn a_large_envelope_without_its_inputs_comes_round_to_its_bound() {
    let mut large = envelope(10_000);
    large.raw_input = "x".repeat(4 << 20);
    let mut metadata = Object::new();
    metadata.set("filler", Json::String("x".repeat(4 << 20).into()));
    large.metadata = Some(metadata);
    for input in [
        r#""{{envelope.metadata.nowhere}}""#,
        r#""{{envelope.errors.99999}}""#,
        r#"{ all = "{{envelope}}", text = "{{raw_input}}", rest = "{{input}} {{envelope.nowhere}}" }"#,
    ] {
        let begun = Journey::begin(&circle(input), Place::default(), large.clone(), None, MORNING);
        let journey = begun.unwrap();
        assert!(journey.has_ended());
        assert_eq!(hops(journey.envelope()), Some(10_000), "{input}");
        let errors = journey.envelope().errors.as_deref().unwrap_or_default();
        assert_eq!(errors.len(), 10_000);
        assert_eq!(errors[0].get("error_type"), Some(&Json::from("INPUT_MISSING")));
    }
}

#[tokio::test(start_paused = true)]
async fn a_circle_of_refused_calls_comes_to_its_bound_in_a_pipe_and_in_a_run() {
    let (pipeline, most) = (circle("\"x\""), 1_500);
    let agents = Agents::default();
    let place = Place::default();
    let begun = Journey::begin(&pipeline, place.clone(), envelope(most), None, MORNING);
    let mut journey = begun.unwrap();
    let carrier = Carrier::new(RunId::new("circle"), agents.clone(), Owner::new("ada"), || MORNING);
    carry(&mut journey, &carrier, |_| ()).await;
    assert_eq!(hops(journey.envelope()), Some(most));

    let mut world = Setting::new().await;
    world.deploy(workflows(&agents, Workflows::default())).await;
    let worker = world.worker().await;
    let errand = Errand::new(&pipeline, &envelope(most), place, MORNING);
    let run = world.desk().submit(submission(&errand)).await.unwrap().run;
    world.until_closed(&run).await;
    let came = ended(&world, &run).await;
    assert_eq!(hops(&came), Some(most));
    assert_eq!(came.errors.map(|errors| errors.len()), Some(1_500));
    assert_eq!(world.row(&run).await.workflow, ENVELOPE);
    world.proves(&run).await;
    worker.kill().await;
}
