//! What can be open in a run: a call, an ask or a timer, each under a key.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{AgentName, Data, Key};

/// Something that a workflow wants open. As long as it returns the same key, it stays open.
#[derive(Clone, Debug)]
pub enum Activity {
    Call(Call),
    Ask(Ask),
    Timer(Timer),
}

impl Activity {
    #[must_use]
    pub fn key(&self) -> &Key {
        match self {
            Self::Call(call) => &call.key,
            Self::Ask(ask) => &ask.key,
            Self::Timer(timer) => &timer.key,
        }
    }
}

/// An agent to be called.
#[derive(Clone, Debug)]
pub struct Call {
    pub key: Key,
    pub agent: AgentName,
    pub input: Data,
    pub retry: Retry,
}

/// Somebody or something to be asked.
#[derive(Clone, Debug)]
pub struct Ask {
    pub key: Key,
    pub kind: AskKind,
    pub prompt: String,
    /// The JSON Schema of an answer.
    pub schema: Data,
    /// How long to wait.
    pub deadline: Option<Duration>,
    /// The answer that is taken at the deadline. Without one the ask fails then.
    pub default: Option<Data>,
}

/// What is wanted of whoever answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    Clarification,
    Confirmation,
    Approval,
    Intervention,
    Limit,
    AgentResponse,
}

impl AskKind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clarification => "clarification",
            Self::Confirmation => "confirmation",
            Self::Approval => "approval",
            Self::Intervention => "intervention",
            Self::Limit => "limit",
            Self::AgentResponse => "agent_response",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        let all = [
            Self::Clarification,
            Self::Confirmation,
            Self::Approval,
            Self::Intervention,
            Self::Limit,
            Self::AgentResponse,
        ];
        all.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl fmt::Display for AskKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Time to pass.
#[derive(Clone, Debug)]
pub struct Timer {
    pub key: Key,
    /// Counted from the event that opened it.
    pub after: Duration,
}

/// How often and how soon a call is tried again after a transient fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry {
    /// All tries, the first included. Tries that a crash took do not count.
    pub tries: u32,
    /// The wait before the second try; it doubles from there.
    pub first: Duration,
    pub longest: Duration,
}

impl Retry {
    pub const NEVER: Self = Self { tries: 1, first: Duration::ZERO, longest: Duration::ZERO };

    /// The wait after so many failures. `jitter` in 0..1 spreads it over its upper half.
    #[must_use]
    pub fn wait(&self, failures: u32, jitter: f64) -> Duration {
        let doubled = 2u32.saturating_pow(failures.saturating_sub(1).min(20));
        let wait = self.first.saturating_mul(doubled).min(self.longest.max(self.first));
        wait.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0)
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self { tries: 3, first: Duration::from_millis(500), longest: Duration::from_secs(60) }
    }
}
