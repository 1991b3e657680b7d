//! Submitting a job.
//!
//! Everything that can be wrong with a submission is found before anything is written, so a refused submission uses up
//! no idempotency key. The job is durable when [`submit`] returns; the work is done behind it.

use consign_authoring::job::{
    AgentType, JobInput, JobSettings, JobState, check_model, workflow_name,
};
use consign_contracts::json::{Json, Object};
use consign_engine::{
    Data, Drive, Error as EngineError, Fault, Limits, Owner, Placement, RunId, Seq, Speaker,
    Submission, journal::Body, store,
};
use consign_invokers::settings::RunSettings;

use super::id::{keyed_id, random_id};
use crate::{
    Home,
    error::{Error, Refused},
    foreground::Foreground,
    settings,
};

/// A submission and what goes with it.
#[derive(Clone, Debug)]
pub struct JobSubmission<'a> {
    /// The body: `{type, payload, requiresStrictValidation?}`, and nothing else.
    pub body: &'a Json<'a>,
    /// Makes a repeat harmless: the same key and body give the same job.
    pub idempotency_key: Option<&'a str>,
    /// The model and the defaults of the payload, where they are not those that the owner has saved for this type.
    pub settings: Option<JobSettings>,
    /// Limits that were set; the standard ones hold for the rest.
    pub limits: Limits,
    pub placement: Placement,
    /// How agents are reached, where that is not as usual: scripts, recordings.
    pub run: RunSettings,
}

impl<'a> JobSubmission<'a> {
    /// The submission with the client's idempotency key.
    #[must_use]
    pub fn keyed(self, idempotency_key: Option<&'a str>) -> Self {
        Self { idempotency_key, ..self }
    }

    /// A submission of which nothing is known besides its body.
    #[must_use]
    pub fn of(body: &'a Json<'a>) -> Self {
        Self {
            body,
            idempotency_key: None,
            settings: None,
            limits: Limits::default(),
            placement: Placement::Anywhere,
            run: RunSettings::default(),
        }
    }
}

/// A job that was taken on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted {
    pub job_id: String,
    /// `pending`; for a repeat too, which gets the first answer again.
    pub state: JobState,
    /// It was there already.
    pub repeated: bool,
}

impl Submitted {
    pub(super) fn pending(run: &RunId, repeated: bool) -> Self {
        Self { job_id: run.to_string(), state: JobState::Pending, repeated }
    }
}

/// Submits a job and leaves it to the workers.
pub async fn submit(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    wanted: &JobSubmission<'_>,
) -> Result<Submitted, Error> {
    // A repeat is answered as the first was, whatever the owner has changed since.
    if let Some(key) = wanted.idempotency_key {
        let run = keyed_id(owner, key)?;
        let (_, again) = read(wanted.body)?;
        if let Some(first) = made_before(home, &run, Some(again)).await? {
            return Ok(first);
        }
    }
    let submission = submission(home, owner, speaker, wanted).await?;
    match home.engine.submit(submission.clone()).await {
        Ok(made) => Ok(Submitted::pending(&made.run, made.repeated)),
        Err(error) => repeated(home, &submission, error).await,
    }
}

/// Submits a job that this process holds from the start. One that was there already has no drive.
pub async fn begin(
    home: &Home,
    foreground: &mut Foreground,
    owner: &Owner,
    speaker: &Speaker,
    wanted: &JobSubmission<'_>,
) -> Result<(Submitted, Option<Drive>), Error> {
    let submission = submission(home, owner, speaker, wanted).await?;
    match foreground.begin(submission.clone()).await {
        Ok((made, drive)) => Ok((Submitted::pending(&made.run, made.repeated), drive)),
        Err(Error::Engine(error)) => Ok((repeated(home, &submission, error).await?, None)),
        Err(error) => Err(error),
    }
}

/// What the engine is given for a submission. The payload itself is checked when the engine takes it.
pub async fn submission(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    wanted: &JobSubmission<'_>,
) -> Result<Submission, Error> {
    let (kind, mut input) = read(wanted.body)?;
    input.settings = match &wanted.settings {
        Some(given) => given.clone(),
        None => settings::agents::for_job(home, owner, kind).await?,
    };
    input.submitted = Some(home.engine.now());
    let id = match wanted.idempotency_key {
        Some(key) => keyed_id(owner, key)?,
        None => random_id(),
    };
    let (limits, placement) = (wanted.limits.clone(), wanted.placement.clone());
    submission_of(home, owner, speaker, (id, kind, input), limits, placement, &wanted.run)
}

/// What the engine is given for the input of a job.
pub(super) fn submission_of(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    (id, kind, input): (RunId, AgentType, JobInput),
    limits: Limits,
    placement: Placement,
    run: &RunSettings,
) -> Result<Submission, Error> {
    if let Some(model) = &input.settings.model {
        check_model(&home.models, kind, model).map_err(refused)?;
    }
    Ok(Submission {
        id: Some(id),
        workflow: workflow_name(kind).to_owned(),
        input: Data::of(&input),
        owner: owner.clone(),
        limits: Limits::standard().raised(&limits),
        placement,
        priority: 0,
        settings: run.settings(),
        certified: false,
        actor: speaker.actor.clone(),
    })
}

/// Reads the body. The payload itself is checked when the run starts, by the rules of its type.
fn read(body: &Json<'_>) -> Result<(AgentType, JobInput), Refused> {
    let Json::Object(members) = body else {
        return Err(invalid("", format!("a job is a JSON object, not {}", body.kind())));
    };
    let known = ["type", "payload", "requiresStrictValidation"];
    if let Some(unknown) = members.keys().find(|name| !known.contains(name)) {
        return Err(invalid(
            "",
            format!("there is no member `{unknown}`; there are {}", known.join(", ")),
        ));
    }
    let kind = members.get("type").and_then(Json::as_str).and_then(AgentType::from_word);
    let Some(kind) = kind else {
        return Err(invalid("/type", "it is one of scribe, trace, proto"));
    };
    let Some(payload @ Json::Object(_)) = members.get("payload") else {
        return Err(invalid("/payload", "it is a JSON object"));
    };
    let strict = match members.get("requiresStrictValidation") {
        None => None,
        Some(Json::Bool(strict)) => Some(*strict),
        Some(_) => return Err(invalid("/requiresStrictValidation", "it is true or false")),
    };
    let input = JobInput {
        kind: kind.as_str().to_owned(),
        // Equal bodies must be the same text: the engine compares that.
        payload: Data::from(&payload.clone().sorted()),
        requires_strict_validation: strict,
        settings: JobSettings::default(),
        submitted: None,
        revision: None,
    };
    Ok((kind, input))
}

/// The job that an equal body under the same key made while this one was on its way.
pub(super) async fn repeated(
    home: &Home,
    submission: &Submission,
    error: EngineError,
) -> Result<Submitted, Error> {
    let EngineError::Fault(fault) = error else { return Err(error.into()) };
    let Some(run) = submission.id.as_ref().filter(|_| fault.code == "RUN_EXISTS") else {
        return Err(refused(fault).into());
    };
    let Ok(again) = submission.input.to::<JobInput>() else { return Err(reused().into()) };
    made_before(home, run, Some(again)).await?.ok_or_else(|| reused().into())
}

/// The job that an equal body under the same key made before. What the owner had saved then does not count: only what
/// was submitted is compared, as JSON values.
///
/// Without `again` nothing is compared: the caller has done it.
pub(super) async fn made_before(
    home: &Home,
    run: &RunId,
    again: Option<JobInput>,
) -> Result<Option<Submitted>, Error> {
    let first = match home.store().events(run, Seq(0), 1).await {
        Ok(mut first) => first.pop(),
        Err(store::Error::NotFound(_)) => None,
        Err(error) => return Err(error.into()),
    };
    let Some(first) = first else { return Ok(None) };
    let Some(again) = again else { return Ok(Some(Submitted::pending(run, true))) };
    let Ok(Some(Body::Created(first))) = first.body() else { return Err(reused().into()) };
    let Ok(made) = first.input.to::<JobInput>() else { return Err(reused().into()) };
    let is_same = made.kind == again.kind
        && made.requires_strict_validation == again.requires_strict_validation
        && made.revision == again.revision
        && same_value(&made.payload.shown(), &again.payload.shown());
    if !is_same {
        return Err(reused().into());
    }
    Ok(Some(Submitted::pending(run, true)))
}

/// Whether two JSON values are equal: the order of members does not count, nor how a number is written.
fn same_value(one: &Json<'_>, other: &Json<'_>) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| same_value(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            let same = |(name, value): (&str, &Json<'_>)| {
                other.get(name).is_some_and(|found| same_value(value, found))
            };
            one.iter().count() == other.iter().count() && one.iter().all(same)
        }
        (one, other) => one == other,
    }
}

pub(super) fn reused() -> Refused {
    let told = "this idempotency key was used for another job; use a new key for a new job";
    Refused::new("IDEMPOTENCY_KEY_REUSED", told)
}

fn invalid(pointer: &'static str, message: impl Into<String>) -> Refused {
    let message = message.into();
    let place = pointer.trim_start_matches('/');
    let told = if place.is_empty() { message.clone() } else { format!("{place}: {message}") };
    let mut breach = Object::new();
    breach.set("pointer", Json::from(pointer));
    breach.set("message", Json::String(message.into()));
    Refused::usage("VALIDATION_ERROR", told)
        .detail("breaches", Json::Array(vec![Json::Object(breach)]))
}

/// A fault of the workflow's own check, with its details.
fn refused(fault: Fault) -> Refused {
    let mut refused = Refused::usage(fault.code, fault.message);
    if let Some(Json::Object(details)) =
        fault.details.as_ref().map(|data| data.shown().into_owned())
    {
        refused.details = details;
    }
    refused
}
