//! An envelope that becomes a run, or comes back to one.
//!
//! The run's name is made of the envelope, so that a sender that is not sure whether it arrived sends it
//! again and gets the same run; the run's name travels in the envelope's metadata, so that an envelope that
//! comes back with an answer goes on where it stood.

mod answer;

use std::{cmp::Ordering, pin::pin, sync::Arc};

use consign_contracts::{
    envelope::{Envelope, TerminalReason},
    json::{Json, Object},
    wire::{Nullable, Wire},
};
use consign_engine::{
    AskKind, At, Data, Engine, Error, Fault, Limits, Owner, Placement, RunId, Seq, Settings,
    Speaker, Status, Submission,
    journal::Body,
    store::{self, InboxQuery, Interaction, Row, Tick},
};
use sha2::{Digest, Sha256};

use self::answer::Asked;
use super::{
    AgentScope, ENVELOPE, Journey, Pipeline, PipelineInput,
    envelope::{RUN, error, forget_waits, stamp},
    journey::same_object,
};

/// How a run is to be made.
pub struct Terms {
    pub owner: Owner,
    pub by: Speaker,
    pub limits: Limits,
    pub placement: Placement,
    pub settings: Settings,
}

/// Where a run stands.
pub struct Standing {
    pub envelope: Envelope,
    /// It is over, or waits for a person.
    pub still: bool,
    /// What it waits for that no answer in the envelope can give.
    pub waits: Vec<Interaction>,
}

/// Makes a run of an envelope, or hands its answer to the run that it came from.
pub async fn adopt(
    engine: &Engine,
    (pipeline, place): (&Pipeline, &AgentScope),
    mut envelope: Envelope,
    until: Option<&str>,
    terms: Terms,
) -> Result<RunId, Error> {
    forget_waits(&mut envelope);
    let here = Here { pipeline, place, until, owner: &terms.owner };
    if let Some((run, asked)) = came_from(engine, &envelope, &here).await? {
        if let Some(asked) = asked {
            asked.hear(engine, &run, &envelope, &terms.by).await?;
        }
        return Ok(run);
    }
    let run = here.name(&envelope);
    // A repeated request is answered by the first one's run.
    match engine.store().row(&run).await {
        Ok(_) => return Ok(run),
        Err(store::Error::NotFound(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let metadata = envelope.metadata.get_or_insert_with(Object::new);
    metadata.set(RUN, Json::String(run.as_str().to_owned().into()));
    let mut pipeline_input = PipelineInput::new(pipeline, &envelope, place.clone(), engine.now());
    pipeline_input.until = until.map(str::to_owned);
    let submission = Submission {
        id: Some(run.clone()),
        workflow: ENVELOPE.to_owned(),
        input: Data::of(&pipeline_input),
        owner: terms.owner,
        limits: terms.limits,
        placement: terms.placement,
        priority: 0,
        settings: terms.settings,
        certified: false,
        actor: terms.by.actor,
    };
    match engine.submit(submission).await {
        // Two requests at once: one of them made it.
        Err(Error::Fault(fault)) if fault.code == "RUN_EXISTS" => Ok(run),
        submitted => submitted.map(|submitted| submitted.run),
    }
}

/// What a run is made with here. An envelope names its run and says what became of it; where it may look,
/// who pays and which way it goes is never its own to say.
struct Here<'a> {
    pipeline: &'a Pipeline,
    place: &'a AgentScope,
    until: Option<&'a str>,
    owner: &'a Owner,
}

impl Here<'_> {
    /// The envelope's own name, with what it holds and what is done with it: another state of the same
    /// envelope, or another way through, is another run. The order of members makes no difference: a program that
    /// sends an envelope again may write them in another.
    fn name(&self, envelope: &Envelope) -> RunId {
        let mut hash = Sha256::new();
        let pipeline = Json::Object(self.pipeline.written.clone()).sorted().to_string();
        for part in [
            self.until.unwrap_or_default(),
            self.owner.as_str(),
            &pipeline,
            Data::of(self.place).as_str(),
            &envelope.write().sorted().to_string(),
        ] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let digest = hex::encode(&hash.finalize()[..8]);
        RunId::new(format!("{}-{digest}", envelope.envelope_id))
    }

    /// Whether an envelope is where it was to stop, so that a run of it would do nothing.
    fn goes_no_further(&self, engine: &Engine, envelope: &Envelope) -> bool {
        let (pipeline, place) = (Arc::new(self.pipeline.clone()), self.place.clone());
        let journey = Journey::begin(&pipeline, place, envelope.clone(), self.until, engine.now());
        self.until.is_some() && journey.is_ok_and(|journey| journey.has_ended())
    }

    /// Whether a run was made with the same, its end aside.
    async fn made(&self, engine: &Engine, row: &Row) -> Result<Option<PipelineInput>, Error> {
        if row.owner != *self.owner || row.workflow != ENVELOPE {
            return Ok(None);
        }
        let first = engine.store().events(&row.id, Seq(0), 1).await?;
        let Some(Ok(Some(Body::Created(created)))) = first.first().map(|record| record.body())
        else {
            return Ok(None);
        };
        let Ok(pipeline_input) = created.input.to::<PipelineInput>() else { return Ok(None) };
        let written = Data::from(&Json::Object(self.pipeline.written.clone()));
        let same = pipeline_input.pipeline.shown() == written.shown()
            && pipeline_input.place == *self.place;
        Ok(same.then_some(pipeline_input))
    }
}

/// The run that an envelope names, if it is one that would be made here of the same envelope, and has come at
/// least as far: what went further, or another way, is another run. An envelope that is sent again after its
/// run has gone on or ended is still that run's. With it comes what the run asks or asked where the envelope
/// stands.
async fn came_from(
    engine: &Engine,
    envelope: &Envelope,
    here: &Here<'_>,
) -> Result<Option<(RunId, Option<Asked>)>, Error> {
    let named = envelope.metadata.as_ref().and_then(|metadata| metadata.get(RUN)?.as_str());
    let Some(run) = named.filter(|run| run.starts_with(&envelope.envelope_id)).map(RunId::from)
    else {
        return Ok(None);
    };
    let row = match engine.store().row(&run).await {
        Ok(row) => row,
        Err(store::Error::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let Some(pipeline_input) = here.made(engine, &row).await? else { return Ok(None) };
    let (now, asked) = if row.status.is_closed() {
        (envelope_of(engine, &run).await?, None)
    } else {
        let journey = journey_of(engine, &run).await?;
        let question = journey.question();
        (journey.so_far(), question)
    };
    if !is_same(envelope, &now) {
        return Ok(None);
    }
    let there = match stages(envelope).cmp(&stages(&now)) {
        Ordering::Less => true,
        // A run that is over does no more; what it came to comes back, unless it goes on from there.
        Ordering::Equal if row.status.is_closed() => {
            row.status == Status::Cancelled
                || is_asked(envelope) && !is_asked(&now)
                || here.goes_no_further(engine, envelope)
                    && pipeline_input.until.as_deref() == here.until
                    && has_outputs_of(envelope, &now)
        }
        // A sender that changed the outputs of stages wants them used.
        Ordering::Equal => has_outputs_of(envelope, &now),
        Ordering::Greater => false,
    };
    if !there {
        return Ok(None);
    }
    if pipeline_input.until.as_deref() != here.until {
        let text = format!(
            "the envelope belongs to run {run}, which was not started to end after the same stage"
        );
        return Err(Fault::permanent("INVALID_STATE", text).into());
    }
    let asked = match asked.filter(|_| stages(envelope) == stages(&now)) {
        Some(ask) => Some(Asked::from(ask)),
        None => match stages(envelope).checked_sub(begun_with(&pipeline_input)) {
            Some(turns) => Asked::after(engine, &run, turns, &envelope.current_stage).await?,
            None => None,
        },
    };
    // What this run never asked was asked elsewhere. One that was cancelled may not have come to it.
    let elsewhere = asked.is_none() && is_asked(envelope) && row.status != Status::Cancelled;
    Ok((!elsewhere).then_some((run, asked)))
}

/// Whether an envelope may be an earlier state of another: who asks what, and what was done so far.
fn is_same(earlier: &Envelope, later: &Envelope) -> bool {
    let done = earlier.processing_history.as_deref().unwrap_or_default();
    let since = later.processing_history.as_deref().unwrap_or_default();
    earlier.raw_input == later.raw_input
        && earlier.request_id == later.request_id
        && earlier.session_id == later.session_id
        && earlier.user_id == later.user_id
        && done.iter().zip(since).all(|(done, since)| same_object(done, since))
}

fn has_outputs_of(envelope: &Envelope, now: &Envelope) -> bool {
    let (given, kept) = (&envelope.outputs.0, &now.outputs.0);
    given.len() == kept.len()
        && given.iter().all(|(key, given)| {
            kept.iter().any(|(known, kept)| known == key && same_object(given, kept))
        })
}

/// How far an envelope has come.
fn stages(envelope: &Envelope) -> usize {
    envelope.processing_history.as_deref().unwrap_or_default().len()
}

/// How far an envelope had come when its run was made of it. From then on every turn has its line.
fn begun_with(pipeline_input: &PipelineInput) -> usize {
    let envelope = pipeline_input.envelope.shown();
    let history = envelope.get("processing_history").and_then(Json::as_array);
    history.map_or(0, <[Json<'_>]>::len)
}

fn is_asked(envelope: &Envelope) -> bool {
    [envelope.clarification_pending, envelope.confirmation_pending].contains(&Some(true))
}

fn damaged(run: &RunId, what: &str) -> Error {
    store::Error::Damaged(format!("run {run}: {what}")).into()
}

async fn asks(engine: &Engine, run: &RunId) -> Result<Vec<Interaction>, Error> {
    let query = InboxQuery { run: Some(run.clone()), most: 100, ..InboxQuery::default() };
    Ok(engine.store().inbox(&query).await?)
}

/// Waits until a run is over or waits for a person, or until `enough` completes.
pub async fn follow(
    engine: &Engine,
    run: &RunId,
    enough: impl Future<Output = ()>,
) -> Result<Standing, Error> {
    let mut enough = pin!(enough);
    let (mut tick, mut is_enough) = (Tick::default(), false);
    loop {
        let row = engine.store().row(run).await?;
        let mut waits = match row.status {
            Status::Waiting => asks(engine, run).await?,
            Status::Queued
            | Status::Running
            | Status::Succeeded
            | Status::Failed
            | Status::Cancelled => Vec::new(),
        };
        let still = row.status.is_closed() || !waits.is_empty();
        if still || is_enough {
            let envelope = envelope_of(engine, run).await?;
            let in_envelope = [AskKind::Clarification, AskKind::Confirmation, AskKind::Approval];
            waits.retain(|ask| !in_envelope.contains(&ask.kind));
            return Ok(Standing { envelope, still, waits });
        }
        tokio::select! {
            biased;
            () = &mut enough => is_enough = true,
            now = engine.store().changed(tick) => tick = now,
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
                details.tree().ok()?.get("envelope").map(Data::from)
            }
            Ok(_) | Err(_) => None,
        })
    } else {
        None
    };
    // A cancelled run has no last word: what it had come to is its state.
    let cancelled = data.is_none() && row.status == Status::Cancelled;
    let mut envelope = match data {
        Some(data) => {
            let tree = data.tree().map_err(|why| damaged(run, &why.to_string()))?;
            Envelope::read(&tree).map_err(|breach| damaged(run, &breach.to_string()))?
        }
        None => journey_of(engine, run).await?.so_far(),
    };
    if cancelled && !envelope.terminated {
        end_cancelled(&mut envelope, row.at);
    }
    Ok(envelope)
}

async fn journey_of(engine: &Engine, run: &RunId) -> Result<Journey, Error> {
    let state = engine.state(run).await?;
    state.to().map_err(|cause| damaged(run, &cause.to_string()))
}

/// Ends the envelope of a cancelled run, so that its holder learns that nothing more will be done for it.
fn end_cancelled(envelope: &mut Envelope, at: At) {
    let fault = Fault::permanent("CANCELLED", "the run was cancelled");
    if let Json::Object(error) = error("run", &fault, at).write() {
        envelope.errors.get_or_insert_default().push(error);
    }
    envelope.terminated = true;
    envelope.terminal_reason = Some(Nullable(Some(TerminalReason::ToolFailedFatally)));
    envelope.termination_reason = Some(Nullable(Some("The run was cancelled".to_owned())));
    envelope.completed_at = Some(Nullable(Some(stamp(at))));
}
