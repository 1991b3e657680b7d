//! Failures of models and providers, as the error codes of the authoring document.
//!
//! The rest of the crate returns a [`Trouble`]; [`Trouble::fault`] makes the engine's [`Fault`] of
//! it.

use std::{borrow::Cow, time::Duration};

use consign_contracts::authoring::ErrorCode;
use consign_engine::{Data, Fault, FaultClass};

/// A failure of a model or its provider, before it becomes a [`Fault`].
#[derive(Clone, Debug, PartialEq)]
pub struct Trouble {
    pub code: ErrorCode,
    /// What happened, for engineers. Never holds a secret.
    pub what: String,
    /// Whether trying again may help.
    pub passing: bool,
    pub retry_after: Option<Duration>,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// It took too long.
    pub late: bool,
    /// The model, or its provider's rules, would not answer this.
    pub refused: bool,
    /// The model answered, without a word.
    pub empty: bool,
}

impl Trouble {
    pub fn passing(code: ErrorCode, what: impl Into<String>) -> Self {
        Self {
            code,
            what: what.into(),
            passing: true,
            retry_after: None,
            status: None,
            late: false,
            refused: false,
            empty: false,
        }
    }

    pub fn lasting(code: ErrorCode, what: impl Into<String>) -> Self {
        Self { passing: false, ..Self::passing(code, what) }
    }

    /// It took too long.
    #[must_use]
    pub fn late(mut self) -> Self {
        self.late = true;
        self
    }

    /// The model, or its provider's rules, would not answer this.
    #[must_use]
    pub fn refused(mut self) -> Self {
        self.refused = true;
        self
    }

    /// The model answered, without a word.
    #[must_use]
    pub fn empty(mut self) -> Self {
        self.empty = true;
        self
    }

    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    #[must_use]
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }

    /// The engine's fault. Its message is the document's text for users; what happened is in the
    /// details.
    #[must_use]
    pub fn fault(&self) -> Fault {
        let mut details = serde_json::json!({ "cause": self.what });
        if let Some(status) = self.status {
            details["status"] = status.into();
        }
        if self.late {
            details["timeout"] = true.into();
        }
        if self.refused {
            details["refused"] = true.into();
        }
        if self.empty {
            details["empty"] = true.into();
        }
        if let Some(wait) = self.retry_after {
            details["retryAfter"] = wait.as_secs_f64().into();
        }
        Fault {
            code: Cow::Borrowed(self.code.as_str()),
            dialect: Some(Cow::Borrowed("authoring")),
            class: if self.passing { FaultClass::Transient } else { FaultClass::Permanent },
            message: self.code.user_message().unwrap_or("The AI service failed.").to_owned(),
            details: Some(Data::of(&details)),
            recoverable: self.passing,
            retry_after: self.retry_after.map(|wait| wait.as_secs_f64()),
        }
    }
}
