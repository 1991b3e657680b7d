//! Running a pipeline's file as a durable run.

use consign_contracts::{envelope::Envelope, json::Json};
use consign_engine::{
    Actor, Data, Engine, Fault, Limits, Owner, Placement, RunId, Seq, Settings, journal::Body,
};
use consign_pipeline::{
    ENVELOPE, GIVEN, PipelineInput,
    envelope::{MOST_BYTES, Names, Session, fresh, has_waits, read, waiting},
};

use super::{
    Ready, check_until,
    keys::{self, MissingKey},
};
use crate::{
    error::{Error, Refused},
    machine::{now, random},
    runs::Start,
};

/// How a pipeline is to be run.
#[derive(Clone, Debug)]
pub struct RunPipeline {
    /// An envelope, or anything else, which then becomes the input of a new one.
    pub input: Data,
    /// Stop after this stage.
    pub until: Option<String>,
    pub id: Option<RunId>,
    pub owner: Owner,
    pub limits: Limits,
    pub placement: Placement,
    pub priority: i32,
    pub settings: Settings,
    pub certified: bool,
    pub actor: Actor,
}

/// A pipeline's run that can be started.
pub struct PipelineStart {
    pub start: Start,
    /// Why the run would end before its first stage, if it would.
    pub short_of: Option<String>,
    /// The keys that its stages need and this process has not. A worker elsewhere may have them.
    pub missing_keys: Vec<MissingKey>,
}

/// What a run of a pipeline is started with. Starting it is the business of [`crate::runs`].
pub async fn run_pipeline(
    engine: &Engine,
    ready: &Ready,
    wanted: RunPipeline,
) -> Result<PipelineStart, Error> {
    check_until(&ready.pipeline, wanted.until.as_deref())?;
    let mut pipeline_input = pipeline_input(ready, &wanted)?;
    pipeline_input.until.clone_from(&wanted.until);
    let short_of = pipeline_input.short_of();
    let brought = is_envelope(&wanted.input.tree().map_err(Fault::from)?);
    let (input, is_new) = again(engine, wanted.id.as_ref(), pipeline_input, brought).await;
    let missing_keys = match is_new {
        true => ready.models.missing_keys(&wanted.owner, &wanted.settings).await?,
        false => Vec::new(),
    };
    if let Placement::Foreground | Placement::HereOnly = wanted.placement {
        keys::refuse(&missing_keys)?;
    }
    let start = Start {
        input,
        id: wanted.id,
        workflow: ENVELOPE.to_owned(),
        owner: wanted.owner,
        limits: wanted.limits,
        placement: wanted.placement,
        priority: wanted.priority,
        settings: wanted.settings,
        certified: wanted.certified,
        actor: wanted.actor,
    };
    Ok(PipelineStart { start, short_of, missing_keys })
}

fn pipeline_input(ready: &Ready, wanted: &RunPipeline) -> Result<PipelineInput, Error> {
    let at = now();
    let input = &wanted.input;
    let tree = input.tree().map_err(Fault::from)?;
    let envelope = if is_envelope(&tree) {
        let envelope = read(input.as_str().as_bytes(), MOST_BYTES).map_err(|why| {
            let told = format!("the input looks like an envelope, and is none: {why}");
            Refused::new("CONTRACT_BREACH", told)
                .hint("`consign envelope validate` has every breach")
        })?;
        if has_waits(&envelope) {
            return Err(Refused::new("INVALID_STATE", waiting(&envelope)).into());
        }
        envelope
    } else {
        wrapped(&wanted.owner, ready, &tree)
    };
    Ok(PipelineInput::new(&ready.pipeline, &envelope, ready.place.clone(), at))
}

fn is_envelope(input: &Json<'_>) -> bool {
    input.get("envelope_id").is_some() && input.get("current_stage").is_some()
}

/// Whatever a pipeline is given, in a new envelope.
fn wrapped(owner: &Owner, ready: &Ready, input: &Json<'_>) -> Envelope {
    let text = input.as_str().map_or_else(|| input.to_string(), str::to_owned);
    let names = Names { envelope: random(), request: random(), session: Session::New(random()) };
    let bounds = &ready.pipeline.bounds;
    let mut envelope = fresh(&text, owner.as_str(), &names, bounds, now());
    if input.as_str().is_none() {
        envelope.metadata.get_or_insert_default().set(GIVEN, input.clone().into_owned());
    }
    envelope
}

/// A start that is repeated means the same run, though new ids and a later instant would make it
/// another: what the first one was given counts, if the pipeline and the question are the same. Says also whether
/// the run is a new one.
async fn again(
    engine: &Engine,
    id: Option<&RunId>,
    pipeline_input: PipelineInput,
    brought: bool,
) -> (Data, bool) {
    let new = (Data::of(&pipeline_input), true);
    let Some(id) = id else { return new };
    let Ok(first) = engine.store().events(id, Seq(0), 1).await else { return new };
    let created = first.first().and_then(|record| record.body().ok()).flatten();
    let Some(Body::Created(created)) = created else { return new };
    let Ok(before) = created.input.to::<PipelineInput>() else { return new };
    // A caller that brings an envelope means that one. Around any other input a new envelope is made each
    // time.
    if brought {
        let same = before.pipeline == pipeline_input.pipeline
            && before.place == pipeline_input.place
            && before.until == pipeline_input.until
            && before.envelope.shown() == pipeline_input.envelope.shown();
        return if same { (created.input, false) } else { new };
    }
    let question = |pipeline_input: &PipelineInput| {
        let envelope = pipeline_input.envelope.shown();
        let given = envelope.get("metadata").and_then(|metadata| metadata.get(GIVEN)).cloned();
        let raw = envelope.get("raw_input").cloned();
        (raw.map(Json::into_owned), given.map(Json::into_owned))
    };
    let same = before.pipeline == pipeline_input.pipeline
        && before.place == pipeline_input.place
        && before.until == pipeline_input.until
        && question(&before) == question(&pipeline_input);
    if same { (created.input, false) } else { new }
}
