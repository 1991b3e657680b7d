//! An envelope that becomes a run, or comes back to one.
//!
//! The run's name is made of the envelope, so that whoever is not sure that it arrived sends it again and
//! gets the same run; the run's name travels in the envelope's metadata, so that an envelope that comes
//! back with an answer goes on where it stood.

use std::time::Duration;

use consign_contracts::{
    envelope::Envelope,
    json::{Json, Object},
    wire::{Message, Nullable, Wire},
};
use consign_engine::{
    Actor, AskKind, Data, Engine, Error, Fault, Key, Limits, Owner, Placement, RunId, Seq,
    Settings, Status, Submission,
    journal::Body,
    store::{self, InboxQuery, Interaction, Tick},
};
use sha2::{Digest, Sha256};
use tokio::time::{Instant, timeout_at};

use super::{ENVELOPE, Errand, Pipeline, Place};

/// Where an envelope's metadata names its run.
const RUN: &str = "run";

/// How a run is to be made.
pub struct Terms {
    pub owner: Owner,
    pub actor: Actor,
    pub limits: Limits,
    pub placement: Placement,
    pub settings: Settings,
}

/// Where a run stands.
pub struct Standing {
    pub envelope: Envelope,
    /// It is over, or waits for somebody.
    pub still: bool,
}

/// Makes a run of an envelope, or hands its answer to the run that it came from.
pub async fn adopt(
    engine: &Engine,
    (pipeline, place): (&Pipeline, &Place),
    mut envelope: Envelope,
    until: Option<&str>,
    terms: Terms,
) -> Result<RunId, Error> {
    if let Some(run) = came_from(engine, &envelope).await? {
        bring_back(engine, &run, &envelope, &terms.actor).await?;
        return Ok(run);
    }
    let run = name(&envelope, until);
    // A repeated request is answered by the first one's run.
    match engine.store().row(&run).await {
        Ok(_) => return Ok(run),
        Err(store::Error::NotFound(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let metadata = envelope.metadata.get_or_insert_with(Object::new);
    metadata.set(RUN, Json::String(run.as_str().to_owned().into()));
    let mut errand = Errand::new(pipeline, &envelope, place.clone(), engine.now());
    errand.until = until.map(str::to_owned);
    let submission = Submission {
        id: Some(run.clone()),
        workflow: ENVELOPE.to_owned(),
        input: Data::of(&errand),
        owner: terms.owner,
        limits: terms.limits,
        placement: terms.placement,
        priority: 0,
        settings: terms.settings,
        certified: false,
        actor: terms.actor,
    };
    match engine.submit(submission).await {
        // Two requests at once: one of them made it.
        Err(Error::Fault(fault)) if fault.code == "RUN_EXISTS" => Ok(run),
        submitted => submitted.map(|submitted| submitted.run),
    }
}

/// The envelope's own name, with what it holds: another state of the same envelope is another run.
fn name(envelope: &Envelope, until: Option<&str>) -> RunId {
    let digest = Sha256::digest(format!("{}\n{}", until.unwrap_or_default(), envelope.to_json()));
    let digest: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    RunId::new(format!("{}-{digest}", envelope.envelope_id))
}

/// The open run that an envelope names, if it is one of ours for the same envelope.
async fn came_from(engine: &Engine, envelope: &Envelope) -> Result<Option<RunId>, Error> {
    let named = envelope.metadata.as_ref().and_then(|metadata| metadata.get(RUN)?.as_str());
    let Some(run) = named.filter(|run| run.starts_with(&envelope.envelope_id)).map(RunId::from)
    else {
        return Ok(None);
    };
    match engine.store().row(&run).await {
        Ok(row) if row.workflow == ENVELOPE && !row.status.is_closed() => Ok(Some(run)),
        Ok(_) | Err(store::Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Hands on what an envelope brings back. One without an answer only wants to know how things are.
async fn bring_back(
    engine: &Engine,
    run: &RunId,
    envelope: &Envelope,
    actor: &Actor,
) -> Result<(), Error> {
    let clarified = match &envelope.clarification_response {
        Some(Nullable(Some(said))) if envelope.clarification_pending == Some(true) => {
            Some((AskKind::Clarification, Data::of(said)))
        }
        _ => None,
    };
    let confirmed = match &envelope.confirmation_response {
        Some(Nullable(Some(said))) if envelope.confirmation_pending == Some(true) => {
            Some((AskKind::Confirmation, Data::of(said)))
        }
        _ => None,
    };
    let Some((kind, value)) = clarified.or(confirmed) else { return Ok(()) };
    let asks = asks(engine, run).await?;
    let Some(ask) = asks.into_iter().find(|ask| ask.kind == kind) else { return Ok(()) };
    let key: Key = ask.key;
    match engine.answer(run, &key, &value, actor).await {
        // Somebody was faster, and theirs counts.
        Err(Error::Fault(Fault { code, .. })) if code == "ALREADY_ANSWERED" => Ok(()),
        answered => answered,
    }
}

async fn asks(engine: &Engine, run: &RunId) -> Result<Vec<Interaction>, Error> {
    let query = InboxQuery { run: Some(run.clone()), most: 100, ..InboxQuery::default() };
    Ok(engine.store().inbox(&query).await?)
}

/// Waits until a run is over or waits for somebody, but no longer than that.
pub async fn follow(engine: &Engine, run: &RunId, within: Duration) -> Result<Standing, Error> {
    let until = Instant::now() + within;
    let mut tick = Tick::default();
    loop {
        let row = engine.store().row(run).await?;
        let still = row.status.is_closed()
            || row.status == Status::Waiting && !asks(engine, run).await?.is_empty();
        if still || Instant::now() >= until {
            return Ok(Standing { envelope: envelope_of(engine, run).await?, still });
        }
        match timeout_at(until, engine.store().changed(tick)).await {
            Ok(now) => tick = now,
            Err(_) => continue,
        }
    }
}

/// The envelope of a run, as it is now.
pub async fn envelope_of(engine: &Engine, run: &RunId) -> Result<Envelope, Error> {
    let row = engine.store().row(run).await?;
    let damaged = |what: &str| store::Error::Damaged(format!("run {run}: {what}"));
    let data = if row.status.is_closed() {
        let last = engine.store().events(run, Seq(row.seq.0.saturating_sub(7)), 8).await?;
        last.iter().rev().find_map(|record| match record.body() {
            Ok(Some(Body::Succeeded(end))) => Some(end.output),
            Ok(Some(Body::Failed(end))) => {
                let details = end.fault.details?;
                details.tree().get("envelope").map(Data::from)
            }
            Ok(_) | Err(_) => None,
        })
    } else {
        None
    };
    // A cancelled run has no last word: what it had come to is its state.
    let data = match data {
        Some(data) => data,
        None => {
            let state = engine.state(run).await?;
            let tree = state.tree();
            Data::from(tree.get("envelope").ok_or_else(|| damaged("it has no envelope"))?)
        }
    };
    Envelope::read(&data.tree()).map_err(|breach| damaged(&breach.to_string()).into())
}
