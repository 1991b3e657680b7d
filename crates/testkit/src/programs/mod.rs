//! Workflows that are data: a test writes down what should happen and gets a run that does it.
//!
//! ```ignore
//! let plan = race([sequence([call("draft", "writer"), ask("approve")]), timer("late", hours(1))]);
//! ```
//!
//! A [`Plan`] comes to an output: a call to the agent's, an ask to its answer, a timer to null,
//! `sequence` and `all` to a list, `race` to that of the part that ended first. It fails with the first
//! part that fails, unless `or_else` says what to do then.

mod order;
mod progress;
mod workflow;

use std::time::Duration;

use consign_engine::{Data, Retry};
use serde::{Deserialize, Serialize};

pub use self::{order::Order, workflow::Programs};
use crate::draft::json;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plan {
    Call {
        key: String,
        agent: String,
        input: Data,
        tries: u32,
        first: Duration,
        longest: Duration,
    },
    Ask {
        key: String,
        schema: Data,
        deadline: Option<Duration>,
        default: Option<Data>,
        /// It fails with this answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        veto: Option<Data>,
    },
    Timer {
        key: String,
        after: Duration,
    },
    /// One call after the other, under the keys `<key>1`, `<key>2` and so on.
    Count {
        key: String,
        agent: String,
        times: u32,
    },
    /// Ends with the first advice.
    Advice,
    /// Ends when so many signals were heard, with the values of these.
    Signals(usize),
    Sequence(Vec<Plan>),
    All(Vec<Plan>),
    Race(Vec<Plan>),
    OrElse(Box<Plan>, Box<Plan>),
    /// Is done at once, and makes the state so many bytes larger.
    Bulk(String),
    /// Makes a workflow panic that is not mended.
    Trap,
    /// Wants nothing, and is not done.
    Nothing,
}

/// Calls an agent with its own key for input, and never again if that fails.
#[must_use]
pub fn call(key: &str, agent: &str) -> Plan {
    let Retry { tries, first, longest, .. } = Retry::NEVER;
    let input = Data::of(key);
    Plan::Call { key: key.to_owned(), agent: agent.to_owned(), input, tries, first, longest }
}

/// Asks anything, for as long as it takes.
#[must_use]
pub fn ask(key: &str) -> Plan {
    let (key, schema) = (key.to_owned(), json("{}"));
    Plan::Ask { key, schema, deadline: None, default: None, veto: None }
}

#[must_use]
pub fn timer(key: &str, after: Duration) -> Plan {
    Plan::Timer { key: key.to_owned(), after }
}

/// Calls an agent so many times in a row. The state does not grow by it.
#[must_use]
pub fn count(key: &str, agent: &str, times: u32) -> Plan {
    Plan::Count { key: key.to_owned(), agent: agent.to_owned(), times }
}

#[must_use]
pub fn sequence(parts: impl IntoIterator<Item = Plan>) -> Plan {
    Plan::Sequence(parts.into_iter().collect())
}

/// Does everything at once, and is done when all of it is.
#[must_use]
pub fn all(parts: impl IntoIterator<Item = Plan>) -> Plan {
    Plan::All(parts.into_iter().collect())
}

/// Does everything at once, and drops the rest when one is done.
#[must_use]
pub fn race(parts: impl IntoIterator<Item = Plan>) -> Plan {
    Plan::Race(parts.into_iter().collect())
}

/// So many calls to an agent, all at once.
#[must_use]
pub fn fan_out(width: u32, agent: &str) -> Plan {
    all((1..=width).map(|part| call(&format!("part{part}"), agent)))
}

#[must_use]
pub fn bulk(bytes: usize) -> Plan {
    Plan::Bulk("x".repeat(bytes))
}

impl Plan {
    /// What to do if it fails.
    #[must_use]
    pub fn or_else(self, otherwise: Plan) -> Self {
        Self::OrElse(Box::new(self), Box::new(otherwise))
    }

    /// What a call is given, in JSON.
    #[must_use]
    pub fn given(mut self, text: &str) -> Self {
        if let Self::Call { input, .. } = &mut self {
            *input = json(text);
        }
        self
    }

    /// How often and how soon a call is tried again.
    #[must_use]
    pub fn retried(mut self, retry: Retry) -> Self {
        if let Self::Call { tries, first, longest, .. } = &mut self {
            (*tries, *first, *longest) = (retry.tries, retry.first, retry.longest);
        }
        self
    }

    /// How long an ask waits.
    #[must_use]
    pub fn within(mut self, wait: Duration) -> Self {
        if let Self::Ask { deadline, .. } = &mut self {
            *deadline = Some(wait);
        }
        self
    }

    /// What an ask takes for its answer at the deadline, in JSON.
    #[must_use]
    pub fn otherwise(mut self, text: &str) -> Self {
        if let Self::Ask { default, .. } = &mut self {
            *default = Some(json(text));
        }
        self
    }

    /// The answer with which an ask fails, in JSON.
    #[must_use]
    pub fn vetoed_by(mut self, text: &str) -> Self {
        if let Self::Ask { veto, .. } = &mut self {
            *veto = Some(json(text));
        }
        self
    }

    /// The JSON Schema of an answer.
    #[must_use]
    pub fn answered_by(mut self, text: &str) -> Self {
        if let Self::Ask { schema, .. } = &mut self {
            *schema = json(text);
        }
        self
    }
}
