//! A model that is asked for the answer to a pending request.

use std::{sync::Arc, time::Duration};

use consign_contracts::{
    bridge::{AgentRequest, AgentResponse, ErrorType},
    json::Json,
};
use consign_engine::{
    Actor, AskKind, At, Data, Engine, Error, Fault, Happened, Key, Limits, Nanos, News, RunId,
    Stop,
    store::{InboxQuery, Interaction},
};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::{Mirror, model::Output, sync::open, workflow::ASK_MODEL};
use crate::{creation::Order, respond};

/// Which model is to answer which request, and how long it may take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskModel {
    pub request_id: String,
    /// `provider/model`.
    pub model: String,
    pub timeout_seconds: u64,
}

/// A model that was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    /// The call in the run's journal.
    pub(super) key: Key,
    pub ask: AskModel,
    /// What it came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<ModelAnswer>,
}

/// What a model said, or why it said nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelAnswer {
    Said { output: Data, took_micros: u64 },
    Failed { fault: Fault, took_micros: u64 },
}

/// Where asking a model has led.
#[derive(Clone, Debug)]
pub enum Asked {
    /// The model has answered, or will not.
    Answered(ModelAnswer),
    /// Somebody else has answered the request meanwhile.
    Overtaken,
    /// A limit is in the way, and a person is asked about it.
    Limit(Box<Interaction>),
    /// It was told to stop. What was under way may have been paid for.
    Stopped,
}

impl ModelCall {
    /// Takes in how the call ended.
    pub(super) fn end(&mut self, happened: &Happened<'_>) {
        let micros = |began: At, ended: At| {
            u64::try_from(ended.since(began).as_micros()).unwrap_or(u64::MAX)
        };
        match happened {
            Happened::Completed { output, work, .. } => {
                let took_micros = micros(work.began, work.ended);
                self.ended = Some(ModelAnswer::Said { output: (*output).clone(), took_micros });
            }
            Happened::Failed { fault, work, .. } => {
                let took_micros = micros(work.began, work.ended);
                self.ended = Some(ModelAnswer::Failed { fault: (*fault).clone(), took_micros });
            }
            Happened::Answered { .. } | Happened::Fired { .. } | Happened::Signalled(_) => {}
        }
    }
}

impl ModelAnswer {
    /// The response that goes into the project's folder. It follows from the journal alone, but for the
    /// time at which it is written.
    #[must_use]
    pub fn response(&self, request: &AgentRequest, now: At) -> AgentResponse {
        match self {
            Self::Said { output, took_micros } => {
                let took = Some(Duration::from_micros(*took_micros));
                let Output { answer, model, tokens_used } = match output.to() {
                    Ok(output) => output,
                    Err(cause) => {
                        let why = Some(format!("the answer in the journal: {cause}"));
                        return respond::fail(request, ErrorType::ParseError, why, took, now);
                    }
                };
                let text = answer.as_str().to_owned();
                let metadata = respond::metadata(request, &text, Some(model), tokens_used);
                respond::wrap(request, text, took, Some(metadata), now).unwrap_or_else(|error| {
                    let why = Some(error.to_string());
                    respond::fail(request, ErrorType::ValidationError, why, took, now)
                })
            }
            Self::Failed { fault, took_micros } => {
                let took = Some(Duration::from_micros(*took_micros));
                respond::fail(request, error_type(fault), Some(cause(fault)), took, now)
            }
        }
    }
}

/// How the bridge calls what went wrong: that decides whether it is asked again.
fn error_type(fault: &Fault) -> ErrorType {
    match fault.code.as_ref() {
        "TIMEOUT" => ErrorType::Timeout,
        // Asked again, it would be the same.
        "AI_KEY_MISSING" | "MODEL_NOT_ALLOWED" | "ENCRYPTION_NOT_CONFIGURED" => {
            ErrorType::AgentNotFound
        }
        "AI_INVALID_RESPONSE" => ErrorType::ValidationError,
        _ => ErrorType::InvocationFailed,
    }
}

/// What happened, rather than what users are told of it, where both are known.
fn cause(fault: &Fault) -> String {
    let details = fault.details.as_ref().map(Data::shown);
    let cause = details.as_ref().and_then(|details| details.get("cause").and_then(Json::as_str));
    cause.unwrap_or(&fault.message).to_owned()
}

/// Asks a model for the answer to the pending request of a mirror, as a call of its run, and drives the
/// run until that has ended. A model that is asked already is not asked a second time, and one that has
/// answered is not paid again.
///
/// `cost` is what the run may cost in all. Without it the run keeps the limit that it has, and gets the
/// usual one if it has none.
pub async fn ask_model(
    engine: &Arc<Engine>,
    run: &RunId,
    ask: &AskModel,
    cost: Option<Nanos>,
    actor: &Actor,
    stop: watch::Receiver<Stop>,
) -> Result<Asked, Error> {
    let (limits, usage) = engine.usage(run).await?;
    let cap = match (cost, limits.cost) {
        // What is spent stays spent; a limit below it would stop the mirror itself.
        (Some(cost), _) => Some(cost.max(usage.spent + usage.reserved)),
        (None, Some(_)) => limits.cost,
        (None, None) => Limits::standard().cost,
    };
    let mirror = mirror(engine, run).await?;
    let known = mirror.model().is_some_and(|call| call.ask == *ask);
    let news = News {
        answered: None,
        signal: (!known).then(|| (ASK_MODEL, Data::of(ask))),
        limits: Some(Limits { cost: cap, ..limits }),
    };
    let ended = |state: &Data| match state.to::<Mirror>() {
        Ok(mirror) => mirror.model().is_none_or(|call| call.ended.is_some()),
        // Whoever drives a state that nobody can read would do so for ever.
        Err(_) => true,
    };
    engine.follow_through(run, news, actor, stop.clone(), ended).await?;
    let mirror = self::mirror(engine, run).await?;
    let Some(call) = mirror.model() else { return Ok(Asked::Overtaken) };
    if let Some(answer) = &call.ended {
        return Ok(Asked::Answered(answer.clone()));
    }
    let query = InboxQuery {
        run: Some(run.clone()),
        kind: Some(AskKind::Limit),
        most: 1,
        ..InboxQuery::default()
    };
    if *stop.borrow() != Stop::GoOn {
        return Ok(Asked::Stopped);
    }
    match engine.store().inbox(&query).await?.pop() {
        Some(limit) => Ok(Asked::Limit(Box::new(limit))),
        None => {
            let text = format!("run {run} cannot go on; `consign runs show {run}` says why");
            Err(Fault::permanent("INVALID_STATE", text).into())
        }
    }
}

/// What a model has answered to a request of a creation, by the journal of the run that mirrors it. The
/// command that asked may have died before it could put the answer into the project's folder.
pub async fn model_answer(
    engine: &Arc<Engine>,
    run: &RunId,
    order: &Order,
    request_id: &str,
) -> Result<Option<ModelAnswer>, Error> {
    let Some(row) = open(engine, run, order).await? else { return Ok(None) };
    let mirror = mirror(engine, &row.id).await?;
    let call = mirror.model().filter(|call| call.ask.request_id == request_id);
    Ok(call.and_then(|call| call.ended.clone()))
}

async fn mirror(engine: &Arc<Engine>, run: &RunId) -> Result<Mirror, Error> {
    let state = engine.state(run).await?;
    Ok(state.to::<Mirror>().map_err(|cause| {
        Fault::permanent("STATE_UNREADABLE", format!("the state of {run}: {cause}"))
    })?)
}
