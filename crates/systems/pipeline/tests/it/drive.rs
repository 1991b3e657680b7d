//! Three ways to drive a row: by hand, in memory, and as a durable run.

use std::{collections::BTreeSet, time::Duration};

use consign_contracts::{envelope::Envelope, json::Json, wire::Wire};
use consign_engine::{
    Actor, At, Data, Fault, InMemoryDriver, Limits, Owner, Placement, RunId, Settings, Submission,
    Work, Workflows, journal::Body,
};
use consign_pipeline::{
    ENVELOPE, Journey, PipelineInput, Unfit, carry::carry, envelope::MOST_BYTES, envelope::read,
    workflows,
};
use consign_testkit::world::{Setting, World, refusal};

use crate::{row::Row, script::Script};

/// When envelopes come in.
pub(crate) const MORNING: At = At(1_800_000_000_000_000);

/// What a way came to, or why it could not begin.
pub(crate) type Came = Result<Trip, String>;

pub(crate) struct Trip {
    pub(crate) envelope: Envelope,
    /// The keys of the calls, in order.
    pub(crate) calls: Vec<String>,
    /// Stages that still had something to say.
    pub(crate) unsaid: Vec<String>,
}

fn begin(row: &Row) -> Result<Journey, Unfit> {
    Journey::begin(&row.pipeline(), row.place(), row.envelope(), row.until.as_deref(), MORNING)
}

/// By hand, and put away and taken out again at every step.
pub(crate) fn by_hand(row: &Row) -> Came {
    let mut journey = begin(row).map_err(|why| why.to_string())?;
    let script = Script::new(&row.script);
    let mut answers = row.answers.iter();
    let mut at = MORNING;
    let mut keys = BTreeSet::new();
    loop {
        journey = restored(&journey);
        at = At(at.0 + 1_234_567);
        if let Some(ask) = journey.question() {
            let Some(answer) = answers.next() else { break };
            assert!(keys.insert(ask.key.clone()), "{}: {} is opened twice", row.name, ask.key);
            journey.answered(&Data::parse(answer.as_str()).unwrap(), Some("ada"), at);
            continue;
        }
        let calls = journey.calls();
        let Some(call) = calls.first() else { break };
        assert!(keys.insert(call.key.clone()), "{}: {} is opened twice", row.name, call.key);
        let (result, model_calls) = script.say(&call.key, &call.input);
        journey.ended(
            &call.key,
            result.as_ref(),
            Work { began: MORNING, ended: at, model_calls, ..Work::default() },
        );
    }
    assert!(journey.has_ended() || journey.question().is_some());
    told(&script, journey.into_envelope())
}

/// The journey as it comes out of a snapshot, which must be the same.
pub(crate) fn restored(journey: &Journey) -> Journey {
    let saved = Data::of(journey);
    let again: Journey = saved.to().unwrap();
    assert_eq!(Data::of(&again).as_str(), saved.as_str());
    let calls = |journey: &Journey| format!("{:?} {:?}", journey.calls(), journey.question());
    assert_eq!(calls(&again), calls(journey));
    again
}

/// In memory, with agents in this process.
pub(crate) async fn carried(row: &Row) -> Came {
    let mut journey = begin(row).map_err(|why| why.to_string())?;
    let script = Script::new(&row.script);
    let agents = script.agents(&row.pipeline());
    let carrier = InMemoryDriver::new(RunId::new("row"), agents, Owner::new("ada"), || MORNING);
    carry(&mut journey, &carrier, |_| ()).await;
    for answer in &row.answers {
        if journey.question().is_some() {
            journey.answered(&Data::parse(answer.as_str()).unwrap(), Some("ada"), MORNING);
            carry(&mut journey, &carrier, |_| ()).await;
        }
    }
    told(&script, journey.into_envelope())
}

/// As a durable run in a world with one worker.
pub(crate) async fn durable(row: &Row) -> Came {
    let script = Script::new(&row.script);
    let pipeline = row.pipeline();
    let agents = script.agents(&pipeline);
    let setting = agents
        .known()
        .fold(Setting::new(), |setting, (name, agent)| setting.real(name, agent.clone()));
    let mut world = setting.await;
    world.deploy(workflows(&agents, Workflows::default())).await;
    let process = world.worker().await;
    let errand = PipelineInput {
        until: row.until.clone(),
        ..PipelineInput::new(&pipeline, &row.envelope(), row.place(), MORNING)
    };
    let submitted = world.desk().submit(submission(&errand)).await;
    if row.refused.is_some() {
        let fault = refusal(submitted);
        assert_eq!(fault.code, "INVALID_INPUT");
        process.kill().await;
        return Err(fault.message);
    }
    let run = submitted.unwrap().run;
    let mut answers = row.answers.iter();
    let envelope = loop {
        let still = world.until(&run, "stands still", |row| {
            row.status.is_closed() || row.status == consign_engine::Status::Waiting
        });
        if still.await.status.is_closed() {
            break ended(&world, &run).await;
        }
        let inbox = world.inbox().await;
        let Some(ask) = inbox.first() else {
            // It rests before another try, or has not heard the answer yet.
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        assert_eq!(inbox.len(), 1, "one question at a time: {inbox:?}");
        let Some(answer) = answers.next() else {
            let envelope = waiting(&world, &run).await;
            world.cancel(&run).await;
            world.until_closed(&run).await;
            break envelope;
        };
        world.answer(&run, ask.key.as_str(), answer).await;
    };
    world.proves(&run).await;
    process.kill().await;
    told(&script, envelope)
}

pub(crate) fn submission(errand: &PipelineInput) -> Submission {
    Submission {
        id: None,
        workflow: ENVELOPE.to_owned(),
        input: Data::of(errand),
        owner: Owner::new("ada"),
        limits: Limits::default(),
        placement: Placement::Anywhere,
        priority: 0,
        settings: Settings::default(),
        certified: false,
        actor: Actor::new("ada"),
    }
}

/// The envelope of a run that is over. One that ended before its end is in the fault.
pub(crate) async fn ended(world: &World, run: &RunId) -> Envelope {
    let journal = world.journal(run).await;
    let written = match journal.last().unwrap().body() {
        Ok(Some(Body::Succeeded(succeeded))) => succeeded.output.tree().unwrap().into_owned(),
        Ok(Some(Body::Failed(failed))) => of_fault(&failed.fault),
        other => panic!("run {run} has not come to an end of its own: {other:?}"),
    };
    read(written.to_string().as_bytes(), MOST_BYTES).unwrap()
}

fn of_fault(fault: &Fault) -> Json<'static> {
    let details = fault.details.as_ref().unwrap();
    let envelope = details.tree().unwrap().at("/envelope").unwrap().clone().into_owned();
    let reason = envelope.at("/terminal_reason").unwrap().as_str().unwrap().to_uppercase();
    if reason.starts_with("TOOL_FAILED") {
        // The agent's own code is what the run shows.
        let errors = envelope.at("/errors").and_then(Json::as_array).unwrap_or_default();
        let last = errors.last().and_then(|error| error.at("/error_type")?.as_str());
        assert_eq!(fault.code, last.unwrap_or(&reason));
    } else {
        assert_eq!(
            (fault.code.as_ref(), fault.dialect.as_deref()),
            (&reason[..], Some("envelope"))
        );
    }
    let words = envelope.at("/termination_reason").and_then(Json::as_str);
    assert_eq!(words.unwrap_or_default(), fault.message);
    envelope
}

/// The envelope of a run that waits: out of its newest snapshot.
async fn waiting(world: &World, run: &RunId) -> Envelope {
    let loaded = world.observer().load(run).await.unwrap();
    assert!(loaded.tail.is_empty(), "a run that is parked has a snapshot");
    let state = loaded.snapshot.state.tree().unwrap().into_owned();
    let envelope = state.at("/state/envelope").unwrap_or_else(|| panic!("{state}"));
    Envelope::read(envelope).unwrap()
}

fn told(script: &Script, envelope: Envelope) -> Came {
    Ok(Trip { envelope, calls: script.called(), unsaid: script.unsaid() })
}
