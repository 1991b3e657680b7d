//! Envelopes on their way in and out: versions 1.0, 1.1 and 1.2 come in, 1.2 goes out.
//!
//! Members that are not known here stay where they are, times and numbers keep their text. Only
//! [`read`] and [`fresh`] make envelopes; everything else changes them.

use consign_contracts::{
    Breach,
    envelope::{Envelope, EnvelopeError},
    json::{self, Json, Limits, Malformed, Object},
    wire::{Integer, Map, Message, Nullable, Timestamp, Wire},
};
use consign_engine::{At, Data, Fault};

use super::pipeline::{Bounds, Pipeline, START};

/// Where an envelope's metadata names its run.
pub const RUN: &str = "run";

/// Where the metadata of a run's envelope says what the run waits for, as long as it does and no answer in the
/// envelope could give it.
pub const WAITS: &str = "waits";

/// Where the metadata says which members of a parallel stage are done, while others are not: see
/// [`super::Journey::leave`].
pub(super) const FINISHED: &str = "finished_members";

/// Where the metadata says which stage asks a person, and since when.
pub(super) const ASKED: &str = "asked_person";

/// Larger documents are refused unless the caller sets another limit.
pub const MOST_BYTES: usize = 16 << 20;

/// Why a document is no envelope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnEnvelope {
    #[error("not JSON: {0}")]
    Malformed(#[from] Malformed),
    #[error("no envelope: {}", .0.first().map(ToString::to_string).unwrap_or_default())]
    Breached(Vec<Breach>),
}

/// Reads an envelope. Nothing is filled in.
pub fn read(bytes: &[u8], most_bytes: usize) -> Result<Envelope, NotAnEnvelope> {
    read_within(bytes, Limits { bytes: most_bytes, ..Limits::default() })
}

/// Reads an envelope that is ours already, however large it has become.
pub fn read_again(data: &Data) -> Result<Envelope, NotAnEnvelope> {
    read_within(data.as_str().as_bytes(), Limits { bytes: usize::MAX, depth: 256 })
}

fn read_within(bytes: &[u8], limits: Limits) -> Result<Envelope, NotAnEnvelope> {
    let document = json::parse_within(bytes, limits)?;
    let verdict = Envelope::contract().schema().check(&document);
    if !verdict.is_valid() {
        return Err(NotAnEnvelope::Breached(verdict.breaches));
    }
    Envelope::read(&document).map_err(|breach| NotAnEnvelope::Breached(vec![breach]))
}

/// What names a new envelope.
pub struct Names {
    pub envelope: [u8; 8],
    pub request: [u8; 8],
    /// Of an earlier envelope of the same session, or new.
    pub session: Session,
}

pub enum Session {
    New([u8; 8]),
    Known(String),
}

/// A new envelope.
#[must_use]
pub fn fresh(raw_input: &str, user_id: &str, names: &Names, bounds: &Bounds, at: At) -> Envelope {
    let session_id = match &names.session {
        Session::New(random) => format!("sess_{}", hex::encode(random)),
        Session::Known(session) => session.clone(),
    };
    let mut envelope = Envelope {
        envelope_id: format!("env_{}", hex::encode(names.envelope)),
        request_id: format!("req_{}", hex::encode(names.request)),
        user_id: user_id.to_owned(),
        session_id,
        raw_input: raw_input.to_owned(),
        received_at: Some(stamp(at)),
        outputs: Map::default(),
        current_stage: START.to_owned(),
        stage_order: None,
        iteration: None,
        max_iterations: Some(bounds.iterations.into()),
        llm_call_count: None,
        max_llm_calls: Some(bounds.llm_calls.into()),
        agent_hop_count: None,
        max_agent_hops: Some(bounds.agent_hops.into()),
        terminal_reason: None,
        terminated: false,
        termination_reason: None,
        clarification_pending: None,
        clarification_question: None,
        clarification_response: None,
        confirmation_pending: None,
        confirmation_id: None,
        confirmation_message: None,
        confirmation_response: None,
        completed_stages: None,
        current_stage_number: None,
        max_stages: Some(bounds.stages.into()),
        all_goals: None,
        remaining_goals: None,
        goal_completion_status: None,
        prior_plans: None,
        critic_feedback: None,
        errors: None,
        completed_at: None,
        processing_history: None,
        metadata: None,
        extra: Object::new(),
    };
    fill(&mut envelope, at);
    envelope
}

/// Gives every member that is missing its default.
pub fn fill(envelope: &mut Envelope, at: At) {
    fn number(member: &mut Option<Integer>, default: i64) {
        member.get_or_insert_with(|| Integer::from(default));
    }
    fn null<T>(member: &mut Option<Nullable<T>>) {
        member.get_or_insert(Nullable(None));
    }
    envelope.received_at.get_or_insert_with(|| stamp(at));
    envelope.stage_order.get_or_insert_default();
    number(&mut envelope.iteration, 0);
    number(&mut envelope.max_iterations, 3);
    number(&mut envelope.llm_call_count, 0);
    number(&mut envelope.max_llm_calls, 10);
    number(&mut envelope.agent_hop_count, 0);
    number(&mut envelope.max_agent_hops, 21);
    null(&mut envelope.terminal_reason);
    null(&mut envelope.termination_reason);
    envelope.clarification_pending.get_or_insert(false);
    null(&mut envelope.clarification_question);
    null(&mut envelope.clarification_response);
    envelope.confirmation_pending.get_or_insert(false);
    null(&mut envelope.confirmation_id);
    null(&mut envelope.confirmation_message);
    null(&mut envelope.confirmation_response);
    envelope.completed_stages.get_or_insert_default();
    number(&mut envelope.current_stage_number, 1);
    number(&mut envelope.max_stages, 5);
    envelope.all_goals.get_or_insert_default();
    envelope.remaining_goals.get_or_insert_default();
    envelope.goal_completion_status.get_or_insert_default();
    envelope.prior_plans.get_or_insert_default();
    envelope.critic_feedback.get_or_insert_default();
    envelope.errors.get_or_insert_default();
    null(&mut envelope.completed_at);
    envelope.processing_history.get_or_insert_default();
    envelope.metadata.get_or_insert_default();
}

/// Whether an envelope says that its run waits for a person.
#[must_use]
pub fn has_waits(envelope: &Envelope) -> bool {
    let metadata = envelope.metadata.as_ref().filter(|metadata| metadata.get(RUN).is_some());
    metadata.is_some_and(|metadata| metadata.get(WAITS).is_some())
}

/// Why an envelope whose run waits goes nowhere else, and what to do about it.
#[must_use]
pub fn waiting(envelope: &Envelope) -> String {
    let run = envelope.metadata.as_ref().and_then(|metadata| metadata.get(RUN)?.as_str());
    let run: String = run.unwrap_or_default().chars().take(100).collect();
    format!(
        "run {run} of this envelope waits for an answer (`consign inbox`), and the envelope comes back as it was. \
         Without `waits` in its metadata it goes on here, and the agent that was called last may be called twice"
    )
}

/// Removes the note of what its run waited for when an envelope went out: it is no part of what comes in.
pub(super) fn forget_waits(envelope: &mut Envelope) {
    if has_waits(envelope)
        && let Some(metadata) = &mut envelope.metadata
    {
        metadata.remove(WAITS);
    }
}

/// Fills an envelope that enters a pipeline.
pub(super) fn enter(envelope: &mut Envelope, pipeline: &Pipeline, at: At) {
    fill(envelope, at);
    forget_waits(envelope);
    if let Some(order) = &mut envelope.stage_order
        && order.is_empty()
    {
        *order = pipeline.names().map(str::to_owned).collect();
    }
}

/// What whole numbers mean. Those that 64 bits do not hold are as large as can be.
#[must_use]
pub fn number(member: Option<&Integer>, default: i64) -> i64 {
    member.map_or(default, |number| number.as_i64().unwrap_or(i64::MAX))
}

#[must_use]
pub fn stamp(at: At) -> Timestamp {
    Timestamp(at.to_string())
}

/// A failure in the document's form.
#[must_use]
pub fn error(agent: &str, fault: &Fault, at: At) -> EnvelopeError {
    let mut details = match fault.details.as_ref().map(|details| details.shown().into_owned()) {
        Some(Json::Object(details)) => details,
        Some(other) => {
            let mut details = Object::new();
            details.set("details", other);
            details
        }
        None => Object::new(),
    };
    if let Some(wait) = fault.retry_after.and_then(|wait| json::Number::try_from(wait).ok()) {
        details.set("retry_after", Json::Number(wait));
    }
    let details = (!details.is_empty()).then_some(details);
    EnvelopeError {
        agent: agent.to_owned(),
        error_type: fault.code.to_string(),
        message: fault.message.clone(),
        timestamp: stamp(at),
        recoverable: fault.recoverable,
        details: Some(Nullable(details)),
        extra: Object::new(),
    }
}
