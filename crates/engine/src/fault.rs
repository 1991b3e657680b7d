//! A typed failure, as contract `engine/fault` writes it.

use std::{borrow::Cow, fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::Data;

/// The code of an attempt that took too long. In [`RetryOn`](crate::RetryOn) it means every timeout.
pub const TIMEOUT: &str = "TIMEOUT";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// For programs.
    pub code: Cow<'static, str>,
    /// The family of contracts that the code is from; none means our own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Cow<'static, str>>,
    pub class: FaultClass,
    /// For people.
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Data>,
    /// Whether the run can go on.
    pub recoverable: bool,
    /// Seconds to wait before another try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<f64>,
}

/// What may be done about a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultClass {
    /// Trying again may help.
    Transient,
    /// Trying again will not help.
    Permanent,
    /// It is unknown whether the effect happened.
    OutcomeUnknown,
}

impl Fault {
    fn new(code: &'static str, class: FaultClass, message: impl Into<String>) -> Self {
        Self {
            code: Cow::Borrowed(code),
            dialect: None,
            class,
            message: message.into(),
            details: None,
            recoverable: class != FaultClass::Permanent,
            retry_after: None,
        }
    }

    #[must_use]
    pub fn transient(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, FaultClass::Transient, message)
    }

    #[must_use]
    pub fn permanent(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, FaultClass::Permanent, message)
    }

    #[must_use]
    pub fn outcome_unknown(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, FaultClass::OutcomeUnknown, message)
    }

    #[must_use]
    pub fn with_details(mut self, details: Data) -> Self {
        self.details = Some(details);
        self
    }

    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait.as_secs_f64());
        self
    }

    /// Whether it is that something took too long, whatever its code: `TIMEOUT`, one that ends so, or a model's fault
    /// whose details say it.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        let told = || self.details.as_ref()?.shown().get("timeout")?.as_bool();
        self.code == TIMEOUT || self.code.ends_with("_TIMEOUT") || told() == Some(true)
    }

    /// How long the other side asks to be left alone.
    #[must_use]
    pub fn wait(&self) -> Duration {
        self.retry_after.and_then(|wait| Duration::try_from_secs_f64(wait).ok()).unwrap_or_default()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Fault {}
