//! A response, once it has been read: an answer, or why there is none.

use consign_contracts::bridge::{AgentResponse, ErrorType, Recovery, ResponseStatus};

/// What can be true of a response. A success without an answer cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    Answered {
        text: String,
        /// As the metadata has it.
        confidence: Option<f64>,
    },
    Failed {
        cause: Cause,
        message: String,
    },
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Error(ErrorType),
    /// The request was declined.
    Cancelled,
}

impl Cause {
    #[must_use]
    pub const fn recovery(self) -> Recovery {
        match self {
            Self::Error(kind) => kind.recovery(),
            Self::Cancelled => Recovery::Fallback,
        }
    }

    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Error(kind) => kind.as_str(),
            Self::Cancelled => "cancelled",
        }
    }

    /// The status of the request in the history of the state file.
    #[must_use]
    pub const fn status(self) -> &'static str {
        match self {
            Self::Error(ErrorType::Timeout) => "timeout",
            Self::Error(_) => "error",
            Self::Cancelled => "cancelled",
        }
    }
}

impl From<&AgentResponse> for Reply {
    fn from(response: &AgentResponse) -> Self {
        let said = response.error_message.as_deref().unwrap_or_default();
        let failed = |kind: ErrorType, otherwise: &str| {
            let message = if said.is_empty() { otherwise } else { said };
            Self::Failed { cause: Cause::Error(kind), message: message.to_owned() }
        };
        match (response.status, &response.response) {
            (ResponseStatus::Success, Some(text)) if !text.trim().is_empty() => {
                let metadata = response.metadata.as_ref();
                let confidence = metadata.and_then(|metadata| metadata.confidence.as_ref());
                let confidence = confidence.map(consign_contracts::json::Number::as_f64);
                Self::Answered { text: text.clone(), confidence }
            }
            (ResponseStatus::Success, _) => {
                failed(ErrorType::ParseError, "the response has status `success` but no answer")
            }
            (ResponseStatus::Timeout, _) => failed(ErrorType::Timeout, "the agent took too long"),
            (ResponseStatus::Cancelled, _) => {
                let message = if said.is_empty() { "the request was cancelled" } else { said };
                Self::Failed { cause: Cause::Cancelled, message: message.to_owned() }
            }
            (ResponseStatus::Error, _) => match response.error_type {
                Some(kind) => failed(kind, "the response gives no reason"),
                None => failed(
                    ErrorType::Unknown,
                    "the response gives neither an error type nor a reason",
                ),
            },
        }
    }
}
