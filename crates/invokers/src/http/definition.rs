//! The definition of an HTTP agent, as a user writes it.

use std::time::Duration;

use consign_engine::Nanos;

#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub url: String,
    /// The variable that holds a secret for the `Authorization` header.
    pub bearer: Option<String>,
    /// The limit for one exchange. The agent's own timeout should be a little longer.
    pub timeout: Duration,
    /// The most bytes that an answer may have.
    pub output: u64,
    /// The most that one attempt costs.
    pub max_cost: Nanos,
    /// Whether addresses of this machine and of private networks may be reached.
    pub allow_private: bool,
    /// Where a keyed agent says what became of a key: 200 with the output, or 404. It gets the key as
    /// `idempotency_key` in the query, and as the header `Idempotency-Key`.
    pub probe_url: Option<String>,
}

impl Definition {
    /// A definition with the default limits.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            bearer: None,
            timeout: Duration::from_secs(600),
            output: 10 << 20,
            max_cost: Nanos::ZERO,
            allow_private: false,
            probe_url: None,
        }
    }
}
