//! What can be open in a run: a call, an ask or a timer, each under a key.

use std::{fmt, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{AgentName, Data, Fault, Key, Role, fault::TIMEOUT};

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

/// A question to a person, or to an agent outside.
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

/// What kind of answer is wanted, and so who may give it.
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
    /// Who may answer. A person may also answer in the place of an agent; an agent never in that of a person.
    #[must_use]
    pub const fn audience(self) -> Role {
        match self {
            Self::Clarification
            | Self::Confirmation
            | Self::Approval
            | Self::Intervention
            | Self::Limit => Role::Person,
            Self::AgentResponse => Role::Agent,
        }
    }

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

/// How often and how soon a call is tried again after a fault that may pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Retry {
    /// All tries, the first included. Tries that a crash took do not count.
    pub tries: u32,
    /// The wait before the second try.
    pub first: Duration,
    /// What each wait is multiplied by to give the next.
    pub factor: f64,
    pub longest: Duration,
    /// Which faults are tried again.
    pub on: RetryOn,
    /// Waits are as long as they say, and not spread.
    pub exact: bool,
}

/// Which faults a call is tried again after, by their codes; `TIMEOUT` is every timeout. Permanent ones never are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RetryOn {
    #[default]
    Any,
    Only(Arc<[String]>),
    /// All but these: a system that must not repeat a timeout, say.
    Except(Arc<[String]>),
}

impl Retry {
    pub const NEVER: Self = Self::new(1, Duration::ZERO, Duration::ZERO);

    /// So many tries, with waits that double from the first to the longest.
    #[must_use]
    pub const fn new(tries: u32, first: Duration, longest: Duration) -> Self {
        Self { tries, first, factor: 2.0, longest, on: RetryOn::Any, exact: false }
    }

    /// The wait after so many failures. `jitter` in 0..1 spreads it over its upper half.
    #[must_use]
    pub fn wait(&self, failures: u32, jitter: f64) -> Duration {
        let longest = self.longest.max(self.first);
        let times = i32::try_from(failures.saturating_sub(1)).unwrap_or(i32::MAX);
        let wait = self.first.as_secs_f64() * self.factor.max(1.0).powi(times);
        let wait = Duration::try_from_secs_f64(wait).unwrap_or(longest).min(longest);
        if self.exact { wait } else { wait.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0) }
    }

    /// Whether there is another try after so many that failed, the last with this fault.
    #[must_use]
    pub fn allows(&self, failures: u32, fault: &Fault) -> bool {
        let is = |code: &String| *code == fault.code || code == TIMEOUT && fault.is_timeout();
        let named = |codes: &[String]| codes.iter().any(is);
        let wanted = match &self.on {
            RetryOn::Any => true,
            RetryOn::Only(codes) => named(codes),
            RetryOn::Except(codes) => !named(codes),
        };
        wanted && failures < self.tries
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self::new(3, Duration::from_millis(500), Duration::from_secs(60))
    }
}
