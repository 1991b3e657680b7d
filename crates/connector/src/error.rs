//! Why something could not be fetched, with the codes of the crew document and of docs/spec/crew.md.

use std::{fmt, time::Duration};

use consign_contracts::{
    crew::{AgentFailure, FailureCode},
    json::{Json, Object},
    wire::{Nullable, Timestamp},
};
use consign_engine::At;
use serde_json::{Map, Value, json};

/// The name of this agent in a failure.
pub(crate) const AGENT: &str = "connector";

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The source refuses these credentials, or wants some. A person can name others.
    Auth,
    /// There is no such source.
    NotFound,
    /// It took longer than allowed.
    Timeout,
    /// The address or path is none that this caller may reach.
    AddressNotAllowed,
    /// The site's robots.txt forbids it.
    RobotsForbidden,
    /// It is larger than a limit; [`Error::limit`] says which.
    TooLarge,
    /// The source, or the way to it, does not work now.
    Unreachable,
    /// There is no document in it that could be fetched.
    Unsupported,
    /// Our own folder could not be written. Nothing is wrong with the source.
    Home,
}

impl Code {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auth => FailureCode::ConnectorAuth.as_str(),
            Self::NotFound => FailureCode::ConnectorNotFound.as_str(),
            Self::Timeout => FailureCode::Timeout.as_str(),
            Self::Unsupported => FailureCode::ParserUnsupported.as_str(),
            Self::AddressNotAllowed => "ADDRESS_NOT_ALLOWED",
            Self::RobotsForbidden => "ROBOTS_FORBIDDEN",
            Self::TooLarge => "SOURCE_TOO_LARGE",
            Self::Unreachable => "SOURCE_UNREACHABLE",
            Self::Home => "HOME_NOT_WRITABLE",
        }
    }
}

/// Which limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Bytes of one file.
    Bytes,
    /// What compressed bytes become.
    Expansion,
    /// Bytes of all files.
    TotalBytes,
    /// Files or pages.
    Files,
    /// Folders in folders, or links after links.
    Depth,
    /// Seconds of the whole source.
    Seconds,
}

impl Limit {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Expansion => "expansion",
            Self::TotalBytes => "total_bytes",
            Self::Files => "files",
            Self::Depth => "depth",
            Self::Seconds => "seconds",
        }
    }
}

/// Why something was not fetched.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub code: Code,
    /// What happened and what to do, on one line. Never holds a secret.
    pub message: String,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    pub limit: Option<Limit>,
    /// How long the source asked us to wait.
    pub retry_after: Option<Duration>,
    /// Trying again later may help.
    pub recoverable: bool,
}

impl Error {
    pub(crate) fn new(code: Code, message: impl fmt::Display) -> Self {
        let message = crate::text::one_line(&message.to_string());
        let recoverable = matches!(code, Code::Timeout);
        Self { code, message, status: None, limit: None, retry_after: None, recoverable }
    }

    pub(crate) fn auth(message: impl fmt::Display) -> Self {
        Self::new(Code::Auth, message)
    }

    pub(crate) fn not_found(message: impl fmt::Display) -> Self {
        Self::new(Code::NotFound, message)
    }

    pub(crate) fn not_allowed(message: impl fmt::Display) -> Self {
        Self::new(Code::AddressNotAllowed, message)
    }

    pub(crate) fn timeout(message: impl fmt::Display) -> Self {
        Self::new(Code::Timeout, message)
    }

    pub(crate) fn unsupported(message: impl fmt::Display) -> Self {
        Self::new(Code::Unsupported, message)
    }

    /// It does not work, and will not by trying again at once.
    pub(crate) fn unreachable(message: impl fmt::Display) -> Self {
        Self::new(Code::Unreachable, message)
    }

    /// It does not work now, and may in a moment.
    pub(crate) fn passing(message: impl fmt::Display) -> Self {
        Self { recoverable: true, ..Self::new(Code::Unreachable, message) }
    }

    pub(crate) fn too_large(limit: Limit, message: impl fmt::Display) -> Self {
        Self { limit: Some(limit), ..Self::new(Code::TooLarge, message) }
    }

    pub(crate) fn home(message: impl fmt::Display) -> Self {
        Self::new(Code::Home, message)
    }

    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// The failure as the crew document has it.
    #[must_use]
    pub fn failure(&self, source_identifier: &str, at: At) -> AgentFailure {
        let mut details = Map::new();
        details.insert("source_identifier".to_owned(), source_identifier.into());
        if let Some(status) = self.status {
            details.insert("status".to_owned(), status.into());
        }
        if let Some(limit) = self.limit {
            details.insert("limit".to_owned(), limit.as_str().into());
        }
        if let Some(wait) = self.retry_after {
            details.insert("retry_after".to_owned(), json!(wait.as_secs_f64()));
        }
        AgentFailure {
            agent_id: AGENT.to_owned(),
            error_code: self.code.as_str().to_owned(),
            message: self.message.clone(),
            recoverable: Some(self.recoverable),
            details: Some(Nullable(Some(object(&details)))),
            timestamp: Some(Timestamp(at.to_string())),
            extra: Object::new(),
        }
    }
}

/// The members of an object, as the contracts have them.
pub(crate) fn object(members: &Map<String, Value>) -> Object<'static> {
    let mut object = Object::new();
    for (key, value) in members {
        object.set(key.clone(), Json::from(value));
    }
    object
}

#[cfg(test)]
mod tests {
    use consign_contracts::wire::Message;

    use super::*;

    #[test]
    fn a_failure_keeps_to_the_contract_and_to_one_line() {
        let error = Error::too_large(Limit::Bytes, "it is\nlarger\u{1b}[1m").with_status(200);
        let failure = error.failure("https://a.example/x", At(0));
        let text = failure.to_json();
        let read = AgentFailure::from_json(text.as_bytes()).expect("it keeps to its contract");
        assert_eq!(read.error_code, "SOURCE_TOO_LARGE");
        assert_eq!(read.message, "it is larger [1m");
        assert_eq!(read.recoverable, Some(false));
        assert!(text.contains(r#""limit":"bytes""#) && text.contains(r#""status":200"#), "{text}");
    }

    #[test]
    fn every_code_of_the_document_is_written_as_it_has_it() {
        let check = |code: Code, text: &str, recoverable: bool| {
            let error = Error::new(code, "x");
            assert_eq!((code.as_str(), error.recoverable), (text, recoverable));
        };
        check(Code::Auth, "ERR_CONNECTOR_AUTH", false);
        check(Code::NotFound, "ERR_CONNECTOR_NOT_FOUND", false);
        check(Code::Timeout, "ERR_TIMEOUT", true);
        check(Code::AddressNotAllowed, "ADDRESS_NOT_ALLOWED", false);
        check(Code::RobotsForbidden, "ROBOTS_FORBIDDEN", false);
        check(Code::TooLarge, "SOURCE_TOO_LARGE", false);
        check(Code::Unreachable, "SOURCE_UNREACHABLE", false);
        check(Code::Unsupported, "ERR_PARSER_UNSUPPORTED", false);
    }
}
