//! An envelope that becomes a run, or comes back to one.
//!
//! The run's name is made of the envelope, so that whoever is not sure that it arrived sends it again and
//! gets the same run; the run's name travels in the envelope's metadata, so that an envelope that comes
//! back with an answer goes on where it stood.

use std::{cmp::Ordering, time::Duration};

use consign_contracts::{
    envelope::Envelope,
    json::{Json, Object},
    wire::{Message, Nullable, Wire},
};
use consign_engine::{
    Actor, Ask, AskKind, Data, Engine, Error, Fault, Limits, Owner, Placement, RunId, Seq,
    Settings, Status, Submission,
    journal::Body,
    store::{self, InboxQuery, Interaction, Tick},
};
use sha2::{Digest, Sha256};
use tokio::time::{Instant, timeout_at};

use super::{ENVELOPE, Errand, Journey, Pipeline, Place};

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
    if let Some((run, asked)) = came_from(engine, &envelope).await? {
        if let Some(ask) = asked {
            bring_back(engine, &run, &ask, &envelope, &terms.actor).await?;
        }
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

/// The run that an envelope names, if it is one of ours for the same envelope and has come at least as far:
/// what went further elsewhere is another run. An envelope that is sent again after its run has gone on
/// or ended is still that run's. With it comes what the run asks, where the envelope stands at that question.
async fn came_from(
    engine: &Engine,
    envelope: &Envelope,
) -> Result<Option<(RunId, Option<Ask>)>, Error> {
    let named = envelope.metadata.as_ref().and_then(|metadata| metadata.get(RUN)?.as_str());
    let Some(run) = named.filter(|run| run.starts_with(&envelope.envelope_id)).map(RunId::from)
    else {
        return Ok(None);
    };
    let row = match engine.store().row(&run).await {
        Ok(row) if row.workflow == ENVELOPE => row,
        Ok(_) | Err(store::Error::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if row.status.is_closed() {
        let end = envelope_of(engine, &run).await?;
        let behind = match stages(envelope).cmp(&stages(&end)) {
            Ordering::Less => true,
            // It waited there, and the run does no more.
            Ordering::Equal => is_asked(envelope) && !is_asked(&end),
            Ordering::Greater => false,
        };
        return Ok(behind.then_some((run, None)));
    }
    let state = engine.state(&run).await?;
    let journey: Journey = state.to().map_err(|cause| damaged(&run, &cause.to_string()))?;
    Ok(match stages(envelope).cmp(&stages(journey.envelope())) {
        Ordering::Less => Some((run, None)),
        Ordering::Equal => Some((run, journey.question())),
        Ordering::Greater => None,
    })
}

/// How far an envelope has come.
fn stages(envelope: &Envelope) -> usize {
    envelope.processing_history.as_deref().unwrap_or_default().len()
}

fn is_asked(envelope: &Envelope) -> bool {
    [envelope.clarification_pending, envelope.confirmation_pending].contains(&Some(true))
}

fn damaged(run: &RunId, what: &str) -> Error {
    store::Error::Damaged(format!("run {run}: {what}")).into()
}

/// Hands on what an envelope brings back. One without an answer only wants to know how things are.
async fn bring_back(
    engine: &Engine,
    run: &RunId,
    ask: &Ask,
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
    let brought = clarified.or(confirmed).filter(|(kind, _)| *kind == ask.kind);
    let Some((_, value)) = brought else { return Ok(()) };
    match engine.answer(run, &ask.key, &value, actor).await {
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
            Data::from(tree.get("envelope").ok_or_else(|| damaged(run, "it has no envelope"))?)
        }
    };
    Envelope::read(&data.tree()).map_err(|breach| damaged(run, &breach.to_string()))
}
