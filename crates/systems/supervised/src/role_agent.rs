//! A role of a job as an agent: it makes the request from the workspace, asks whoever the role is, and judges the answer.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use consign_contracts::{job::AgentResponse, wire::Message};
use consign_engine::{
    Agent, Attempt, Bridged, Data, Effect, Failure, Fault, FaultClass, Invoker, Nanos, Order,
    Owner, Quote, Reply, Settings,
};
use serde_json::{Map, Value};
use tokio::{task::spawn_blocking, time::timeout};

use crate::{
    added, fault_of,
    judged::{Came, Ended, Judged, sent},
    request::{Prepared, Reader, prepare},
    role::{FoundRole, Roles},
    sealed::TextKey,
    turn::Turn,
    workspace::Snapshots,
};

/// What a role itself is waited for is in its file; this is more than any may say.
const LONGEST: Duration = Duration::from_secs(32 * 24 * 3600);

/// The port to the keys of sensitive jobs.
#[async_trait]
pub trait JobKeys: Send + Sync {
    /// The key of a job, made before with the job.
    async fn text_key(&self, owner: &Owner, job: &str) -> Result<TextKey, Fault>;
}

/// The agent that stands for every role; the call says which.
pub(crate) struct RoleAgent {
    roles: Roles,
    keys: Arc<dyn JobKeys>,
}

impl RoleAgent {
    #[must_use]
    pub(crate) fn agent(roles: Roles, keys: Arc<dyn JobKeys>, effect: Effect) -> Agent {
        Agent::new(effect, Self { roles, keys }).with_timeout(LONGEST)
    }

    /// The role of a call with its request, as far as nothing has to be opened.
    fn ready(&self, input: &Data) -> Option<(Turn, FoundRole, Prepared)> {
        let turn: Turn = input.to().ok()?;
        let role = self.roles.find(&turn).ok()?;
        let prepared = prepared(&turn, &role, None);
        Some((turn, role, prepared))
    }
}

/// The request of a turn for its role.
#[must_use]
pub fn prepared(turn: &Turn, role: &FoundRole, key: Option<&TextKey>) -> Prepared {
    let reader = Reader { system_prompt: &role.system_prompt, reads_files: role.is_command };
    let open = |text: &str| key.and_then(|key| key.open(text)).unwrap_or_else(|| text.to_owned());
    prepare(turn, reader, &open)
}

/// What the inner agent is given: a program the request, everybody else the whole text.
fn inner_input(role: &FoundRole, prepared: &Prepared) -> Data {
    if role.is_command {
        return Data::parse(prepared.prompt.as_str())
            .unwrap_or_else(|_| Data::of(&prepared.prompt));
    }
    Data::of(&prepared.prompt)
}

fn settings(turn: &Turn) -> Settings {
    Settings(turn.agents.clone())
}

#[async_trait]
impl Invoker for RoleAgent {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        None
    }

    fn quote(&self, order: &Order<'_>) -> Quote {
        // What cannot be made ready fails before anything is sent.
        let Some((turn, role, prepared)) = self.ready(order.input) else {
            return Quote { wants_room: true, ..Quote::of(Nanos::ZERO) };
        };
        let (input, settings) = (inner_input(&role, &prepared), settings(&turn));
        let inner = Order { input: &input, settings: &settings, handed: order.handed };
        // No call begins when the threshold is reached, not even a free one.
        Quote { wants_room: true, ..role.agent.invoker.quote(&inner) }
    }

    fn bridge(&self, input: &Data, _settings: &Settings) -> Option<Bridged> {
        let (turn, role, prepared) = self.ready(input)?;
        let bridged =
            role.agent.invoker.bridge(&inner_input(&role, &prepared), &settings(&turn))?;
        // Who answers from outside would see what is sealed.
        if turn.sensitive {
            return None;
        }
        let schema = Data::from(&AgentResponse::contract().source());
        Some(Bridged { prompt: prepared.prompt, schema, ..bridged })
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let unpaid = |fault| Failure::new(fault, Some(Nanos::ZERO));
        let turn: Turn = attempt.input.to().map_err(|cause| {
            unpaid(Fault::permanent("INVALID_INPUT", format!("the call of a role: {cause}")))
        })?;
        let key = if turn.sensitive {
            Some(self.keys.text_key(&attempt.owner, &turn.job_key()).await.map_err(unpaid)?)
        } else {
            None
        };
        let began = Instant::now();
        let ready = {
            let (turn, roles, key) = (turn.clone(), self.roles.clone(), key.clone());
            let repeated = attempt.number > 1;
            on_disk(move || make_ready(&turn, &roles, key.as_ref(), repeated)).await
        };
        let (role, prepared) = ready.map_err(|fault| {
            let request = sent(&turn, None, &Prepared::default(), key.as_ref());
            noted(unpaid(fault), &turn, request, began.elapsed(), key.as_ref())
        })?;
        let is_scripted = scripted(&turn);
        let role = FoundRole { model: answered_by(&turn).or(role.model), ..role };
        let request = sent(&turn, Some(&role), &prepared, key.as_ref());
        let mut inner = attempt.clone();
        inner.input = inner_input(&role, &prepared);
        inner.settings = settings(&turn);
        let answered = match timeout(role.agent.timeout, role.agent.invoker.invoke(inner)).await {
            Ok(answered) => answered,
            Err(_) => Err(Failure::new(
                Fault::transient(consign_engine::TIMEOUT, "the role took too long"),
                None,
            )),
        };
        let took = began.elapsed();
        let reply = match answered {
            Ok(reply) => reply,
            Err(failure) => return Err(noted(failure, &turn, request, took, key.as_ref())),
        };
        let mut note = note_of(reply.note.as_ref());
        let files = note.remove("files").map(files_of).unwrap_or_default();
        let seconds = note.get("duration_seconds").and_then(Value::as_f64);
        let raw = raw(&reply.output, role.is_command && !is_scripted);
        if raw.trim().is_empty() {
            let fault = Fault::transient("AI_INVALID_RESPONSE", "the answer is empty");
            let failure =
                Failure { note: Some(Data::of(&note)), ..Failure::new(fault, Some(reply.cost)) };
            return Err(noted(failure, &turn, request, took, key.as_ref()));
        }
        let kept = request.clone();
        let judged = {
            let (turn, key) = (turn.clone(), key.clone());
            let seconds = seconds.unwrap_or(took.as_secs_f64());
            on_disk(move || {
                let came = Came { raw: &raw, files, seconds };
                Judged::of_answer(&turn, request, came, key.as_ref()).map_err(|why| fault_of(&why))
            })
            .await
        };
        match judged {
            Ok(judged) => Ok(Reply::new(Data::of(&judged), reply.cost).with_note(Data::of(&note))),
            // It is paid for: another try would pay again.
            Err(fault) => {
                let fault = Fault { class: FaultClass::Permanent, recoverable: false, ..fault };
                let failure = Failure::new(fault, Some(reply.cost)).with_note(Data::of(&note));
                Err(noted(failure, &turn, kept, took, key.as_ref()))
            }
        }
    }
}

/// Runs what blocks.
pub(crate) async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    spawn_blocking(work).await.unwrap_or_else(|broken| {
        Err(Fault::permanent(
            "WORKSPACE_FAILED",
            format!("the work on the workspace broke off: {broken}"),
        ))
    })
}

/// Lays the workspace anew for an attempt that is repeated, then makes the request from it.
fn make_ready(
    turn: &Turn,
    roles: &Roles,
    key: Option<&TextKey>,
    repeated: bool,
) -> Result<(FoundRole, Prepared), Fault> {
    if let Some(base) = turn.base.filter(|_| repeated) {
        let snapshots = Snapshots::open(&turn.directory).map_err(|why| fault_of(&why))?;
        added::lay(&snapshots, &base, &turn.directory).map_err(|why| fault_of(&why))?;
    }
    let role = roles.find(turn)?;
    let prepared = prepared(turn, &role, key);
    Ok((role, prepared))
}

/// A failure with the interaction that it would be, were it the last try.
fn noted(
    failure: Failure,
    turn: &Turn,
    request: Value,
    took: Duration,
    key: Option<&TextKey>,
) -> Failure {
    let mut note = note_of(failure.note.as_ref());
    note.remove("files");
    let took = note.get("duration_seconds").and_then(Value::as_f64).unwrap_or(took.as_secs_f64());
    let ended = if failure.fault.is_timeout() { Ended::Timeout } else { Ended::Error };
    let told = (ended, failure.fault.code.as_ref(), failure.fault.message.as_str());
    let judged = Judged::of_failure(turn, request, told, took, key);
    note.insert("interaction".to_owned(), serde_json::to_value(&judged).unwrap_or_default());
    let mut failure = Failure { note: Some(Data::of(&note)), ..failure };
    if turn.sensitive {
        // What a provider repeats of a prompt must not be readable.
        failure.fault.message = "the call failed; `consign job history` has why".to_owned();
        failure.fault.details = None;
    }
    failure
}

fn note_of(note: Option<&Data>) -> Map<String, Value> {
    note.and_then(|note| note.to().ok()).unwrap_or_default()
}

fn files_of(files: Value) -> Vec<(String, String)> {
    let files: Map<String, Value> = serde_json::from_value(files).unwrap_or_default();
    files.into_iter().filter_map(|(path, text)| Some((path, text.as_str()?.to_owned()))).collect()
}

/// The answer as text. A program's output is wrapped: it may be anything.
fn raw(output: &Data, is_wrapped: bool) -> String {
    let text = |data: &Data| data.to::<String>().ok();
    if is_wrapped && let Ok(wrapped) = output.to::<Map<String, Value>>() {
        return wrapped.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    }
    text(output).unwrap_or_else(|| output.as_str().to_owned())
}

fn scripted(turn: &Turn) -> bool {
    setting(turn, "script").is_some()
}

/// Who answers in the place of the role's own model.
fn answered_by(turn: &Turn) -> Option<String> {
    if scripted(turn) { Some("scripted".to_owned()) } else { setting(turn, "model") }
}

fn setting(turn: &Turn, name: &str) -> Option<String> {
    turn.agents.as_ref()?.shown().get(name)?.as_str().map(str::to_owned)
}
