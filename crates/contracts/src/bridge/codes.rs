//! The bridge's error types and exit codes.

use super::ResponseStatus;
use crate::wire::words;

words! {
    /// Why an agent gave no usable answer.
    pub enum ErrorType {
        /// There is no agent of that name.
        AgentNotFound = "AGENT_NOT_FOUND",
        /// The agent could not be run to its end.
        InvocationFailed = "INVOCATION_FAILED",
        /// The agent did not answer in time.
        Timeout = "TIMEOUT",
        /// The answer is not JSON.
        ParseError = "PARSE_ERROR",
        /// The answer is JSON of the wrong shape.
        ValidationError = "VALIDATION_ERROR",
        /// Anything else.
        Unknown = "UNKNOWN",
    }
}

/// What template creation does about an error (docs/spec/quirks.md says where this is ours).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Ask again with more time; fall back when the tries are used up.
    Retry,
    /// Go on with what can be found without an agent.
    Fallback,
}

impl ErrorType {
    /// The status of a response that carries it.
    #[must_use]
    pub const fn status(self) -> ResponseStatus {
        match self {
            Self::Timeout => ResponseStatus::Timeout,
            Self::AgentNotFound
            | Self::InvocationFailed
            | Self::ParseError
            | Self::ValidationError
            | Self::Unknown => ResponseStatus::Error,
        }
    }

    #[must_use]
    pub const fn recovery(self) -> Recovery {
        match self {
            Self::InvocationFailed | Self::Timeout => Recovery::Retry,
            Self::AgentNotFound | Self::ParseError | Self::ValidationError | Self::Unknown => {
                Recovery::Fallback
            }
        }
    }
}

/// How template creation ends, for the program that called it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    Success = 0,
    Error = 1,
    /// Paused until an outside agent has answered.
    Checkpoint = 42,
}
