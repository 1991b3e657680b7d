//! Failures of agents, in the form that all of them share: contract `crew/agent-failure`.

use consign_connector as connector;
use consign_engine::{At, Data, Fault, FaultClass};
use consign_parsers::ParseError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The members of contract `crew/agent-failure`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    pub agent_id: String,
    pub error_code: String,
    pub message: String,
    #[serde(default)]
    pub recoverable: bool,
    #[serde(default)]
    pub details: Option<Map<String, Value>>,
    /// When it happened, as far as that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
}

impl Failed {
    #[must_use]
    pub fn new(agent: &str, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            agent_id: agent.to_owned(),
            error_code: code.into(),
            message: message.into(),
            recoverable: false,
            details: None,
            timestamp: None,
        }
    }

    /// With the instant at which it happened.
    #[must_use]
    pub fn at(mut self, at: At) -> Self {
        self.timestamp = Some(at.to_string());
        self
    }

    /// A source that could not be had.
    #[must_use]
    pub fn of_source(error: &connector::Error) -> Self {
        let mut failed = Self::new("connector", error.code.as_str(), error.to_string());
        failed.recoverable = error.recoverable;
        if let Some(limit) = error.limit {
            failed.details = Some(Map::from_iter([("limit".to_owned(), json!(limit.as_str()))]));
        }
        failed
    }

    /// A file that could not be read.
    #[must_use]
    pub fn of_file(error: &ParseError) -> Self {
        let code = error.code().map_or("INTERNAL_ERROR", |code| code.as_str());
        let mut failed = Self::new("parser", code, error.to_string());
        failed.recoverable = matches!(error, ParseError::Timeout { .. });
        if let Some(limit) = error.limit() {
            failed.details = Some(Map::from_iter([("limit".to_owned(), json!(limit.as_str()))]));
        }
        failed
    }

    /// As the fault of a run: its details are the whole failure, as contract `crew/agent-failure` has it.
    #[must_use]
    pub fn fault(&self, at: At) -> Fault {
        let mut details = json!(self);
        if self.timestamp.is_none() {
            details["timestamp"] = json!(at.to_string());
        }
        Fault {
            code: self.error_code.clone().into(),
            dialect: Some("crew".into()),
            class: FaultClass::Permanent,
            message: self.message.clone(),
            details: Some(Data::of(&details)),
            recoverable: self.recoverable,
            retry_after: None,
        }
    }

    /// Whether a file with this failure is left out, rather than failed: trying again would not help.
    #[must_use]
    pub fn is_skip(&self) -> bool {
        const SKIPS: [&str; 8] = [
            "ERR_PARSER_ENCRYPTED",
            "ERR_PARSER_UNSUPPORTED",
            "ERR_CONNECTOR_AUTH",
            "ERR_CONNECTOR_NOT_FOUND",
            "ADDRESS_NOT_ALLOWED",
            "ROBOTS_FORBIDDEN",
            "SOURCE_TOO_LARGE",
            "SOURCE_REMOVED",
        ];
        SKIPS.contains(&self.error_code.as_str())
    }
}
