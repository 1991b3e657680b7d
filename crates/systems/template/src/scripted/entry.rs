//! One entry of a script, and the response that it becomes.

use std::time::Duration;

use consign_contracts::{
    bridge::{AgentRequest, AgentResponse, ErrorType, ResponseMetadata, ResponseStatus},
    json::{Json, Number, Object},
    wire::{Timestamp, Wire},
};
use consign_invokers::script;

#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The agent that it answers for; `*` is every agent.
    pub(super) agent: String,
    /// How often it may still be used; `None` is always.
    pub(super) left: Option<u32>,
    says: Says,
    pub(super) delay: Duration,
    duration_seconds: Option<f64>,
    pub(super) metadata: Object<'static>,
}

#[derive(Clone, Debug)]
pub(super) enum Says {
    Answers(String),
    Fails(ResponseStatus, Option<ErrorType>, String),
}

impl Entry {
    pub(super) fn new(agent: &str, says: Says) -> Self {
        Self {
            agent: agent.to_owned(),
            left: Some(1),
            says,
            delay: Duration::ZERO,
            duration_seconds: None,
            metadata: Object::new(),
        }
    }

    /// Whether a response of this entry can keep its contract.
    pub(super) fn is_possible(&self) -> bool {
        let confidence = self.metadata.get("confidence").and_then(Json::as_number);
        confidence.is_none_or(|sure| (0.0..=1.0).contains(&sure.as_f64()))
            && self.duration_seconds.is_none_or(|seconds| seconds >= 0.0)
    }

    pub(super) fn response(&self, request: &AgentRequest) -> AgentResponse {
        let metadata = (!self.metadata.is_empty())
            .then(|| ResponseMetadata::read(&Json::Object(self.metadata.clone())).ok())
            .flatten();
        let seconds = self.duration_seconds.and_then(|seconds| Number::try_from(seconds).ok());
        AgentResponse { metadata, duration_seconds: seconds, ..self.says.response(request) }
    }
}

impl Says {
    pub(super) fn response(&self, request: &AgentRequest) -> AgentResponse {
        let (status, response, error_type, error_message) = match self {
            Self::Answers(text) => (ResponseStatus::Success, Some(text.clone()), None, None),
            Self::Fails(status, error, message) => (*status, None, *error, Some(message.clone())),
        };
        AgentResponse {
            request_id: request.request_id.clone(),
            version: "1.0".to_owned(),
            status,
            response,
            error_message,
            error_type,
            created_at: Timestamp(String::new()),
            duration_seconds: None,
            metadata: None,
        }
    }
}

impl From<script::Entry> for Entry {
    fn from(entry: script::Entry) -> Self {
        let status = match entry.status {
            script::Status::Success => ResponseStatus::Success,
            script::Status::Error => ResponseStatus::Error,
            script::Status::Timeout => ResponseStatus::Timeout,
            script::Status::Cancelled => ResponseStatus::Cancelled,
        };
        let says = match &entry.says {
            script::Says::Answers(response) => Says::Answers(response.text().to_owned()),
            script::Says::Fails(fault) => {
                // A code that is none of the bridge's is unknown to it; the message keeps it.
                let known = ErrorType::from_word(&fault.code);
                let cancelled = status == ResponseStatus::Cancelled && fault.code == "CANCELLED";
                let (error, message) = match known {
                    Some(error) => (Some(error), fault.message.to_string()),
                    None if cancelled => (None, fault.message.to_string()),
                    None => {
                        (Some(ErrorType::Unknown), format!("{}: {}", fault.code, fault.message))
                    }
                };
                Says::Fails(status, error, message)
            }
        };
        let metadata = entry.metadata.as_ref().map(|data| data.shown().to_static());
        Self {
            agent: entry.agent().to_owned(),
            left: entry.times,
            says,
            delay: entry.delay,
            duration_seconds: entry.duration_seconds,
            metadata: match metadata {
                Some(Json::Object(metadata)) => metadata,
                Some(_) | None => Object::new(),
            },
        }
    }
}
