//! A scripted outside agent, for tests of programs that use template creation.
//!
//! Its answers are given beforehand, entry by entry as in the files of `--agent-script`: each entry is
//! used once and in order, unless it says how often. Afterwards its requests can be inspected.
//!
//! ```
//! use consign_template::scripted::Scripted;
//!
//! let agent = Scripted::new()
//!     .answers("architectural-reviewer", r#"{"technology_stack": {"primary_language": "C#"}}"#)
//!     .confident(0.92)
//!     .times(0);
//! assert!(agent.invocations("architectural-reviewer").is_empty());
//! ```

mod entry;

use std::{
    path::Path,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use consign_contracts::{
    bridge::{AgentRequest, AgentResponse, ErrorType, ResponseStatus},
    json::{Json, Number},
    wire::Timestamp,
};
use consign_engine::At;
use consign_invokers::script::{Script, next_entry};

use self::entry::{Entry, Says};

/// Answers a request. Any failure is reported in the response.
pub trait Invoke {
    fn invoke(&mut self, request: &AgentRequest) -> AgentResponse;
}

/// Answers by script, and records the requests.
#[derive(Clone, Debug, Default)]
pub struct Scripted {
    entries: Vec<Entry>,
    invocations: Vec<Invocation>,
}

/// What it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    pub agent_name: String,
    pub prompt: String,
    pub timeout_seconds: u64,
    pub request_id: String,
    pub phase: u8,
    pub retry_count: u32,
}

/// What a request that names no timeout gets.
const TIMEOUT: u64 = 120;

impl Scripted {
    /// Knows no answer: every request is an `AGENT_NOT_FOUND`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a script as `--agent-script` does. The error says which entry is wrong, and how.
    pub fn from_file(path: &Path) -> Result<Self, String> {
        let script = Script::load(path).map_err(|why| format!("{}: {why}", path.display()))?;
        let entries: Vec<Entry> = script.entries.into_iter().map(Entry::from).collect();
        match entries.iter().position(|entry| !entry.is_possible()) {
            None => Ok(Self { entries, invocations: Vec::new() }),
            Some(at) => Err(format!(
                "{}: entry {}: `confidence` must be from 0 to 1, and `duration_seconds` at least 0",
                path.display(),
                at + 1
            )),
        }
    }

    /// The agent says this next; `*` is any agent.
    #[must_use]
    pub fn answers(self, agent: &str, text: &str) -> Self {
        self.with(agent, Says::Answers(text.to_owned()))
    }

    /// The agent answers with this document next.
    #[must_use]
    pub fn answers_json(self, agent: &str, document: &serde_json::Value) -> Self {
        self.with(agent, Says::Answers(document.to_string()))
    }

    /// The agent fails next. [`ErrorType::Timeout`] ends with the status `timeout`, others with `error`.
    #[must_use]
    pub fn fails(self, agent: &str, error: ErrorType, message: &str) -> Self {
        self.with(agent, Says::Fails(error.status(), Some(error), message.to_owned()))
    }

    /// The next request is cancelled.
    #[must_use]
    pub fn cancels(self, agent: &str, message: &str) -> Self {
        self.with(agent, Says::Fails(ResponseStatus::Cancelled, None, message.to_owned()))
    }

    /// How often the last entry is taken; 0 is always.
    #[must_use]
    pub fn times(self, times: u32) -> Self {
        self.last(|entry| entry.left = (times > 0).then_some(times))
    }

    /// How long the last entry takes.
    #[must_use]
    pub fn delayed(self, delay: Duration) -> Self {
        self.last(|entry| entry.delay = delay)
    }

    /// What the metadata of the last entry says of its confidence, from 0 to 1.
    #[must_use]
    pub fn confident(self, confidence: f64) -> Self {
        let number = Number::try_from(confidence.clamp(0.0, 1.0)).ok();
        self.last(|entry| {
            if let Some(number) = number {
                entry.metadata.set("confidence", Json::Number(number));
            }
        })
    }

    /// What an agent was asked, in order; `*` is any agent.
    #[must_use]
    pub fn invocations(&self, agent: &str) -> Vec<Invocation> {
        let of = |one: &&Invocation| agent == "*" || one.agent_name == agent;
        self.invocations.iter().filter(of).cloned().collect()
    }

    /// Forgets what was asked. What was taken of the script stays taken.
    pub fn reset(&mut self) {
        self.invocations.clear();
    }

    /// Goes on where another process stopped, which asked these agents before.
    pub fn skip(&mut self, asked: &[&str]) {
        for agent in asked {
            self.take(agent);
        }
    }

    /// The entry that is an agent's turn, which is used up by that.
    fn take(&mut self, agent: &str) -> Option<&Entry> {
        let entries = self.entries.iter_mut();
        let entries = entries.map(|Entry { agent, left, .. }| (agent.as_str(), left));
        let place = next_entry(entries, agent)?;
        self.entries.get(place)
    }

    fn with(mut self, agent: &str, says: Says) -> Self {
        self.entries.push(Entry::new(agent, says));
        self
    }

    fn last(mut self, change: impl FnOnce(&mut Entry)) -> Self {
        if let Some(entry) = self.entries.last_mut() {
            change(entry);
        }
        self
    }
}

impl Invoke for Scripted {
    fn invoke(&mut self, request: &AgentRequest) -> AgentResponse {
        let begun = Instant::now();
        let asked = Invocation::of(request);
        let limit = Duration::from_secs(asked.timeout_seconds);
        let mut response = match self.take(&asked.agent_name) {
            None => {
                let message = format!("the script has no entry left for {}", asked.agent_name);
                let error = Some(ErrorType::AgentNotFound);
                Says::Fails(ResponseStatus::Error, error, message).response(request)
            }
            Some(entry) => {
                std::thread::sleep(entry.delay.min(limit));
                if entry.delay > limit {
                    let message = format!("no answer within {} seconds", limit.as_secs());
                    let (status, error) = (ResponseStatus::Timeout, Some(ErrorType::Timeout));
                    Says::Fails(status, error, message).response(request)
                } else {
                    entry.response(request)
                }
            }
        };
        self.invocations.push(asked);
        response.created_at = now();
        if response.duration_seconds.is_none() {
            response.duration_seconds = Number::try_from(begun.elapsed().as_secs_f64()).ok();
        }
        response
    }
}

impl Invocation {
    fn of(request: &AgentRequest) -> Self {
        let whole = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
        let timeout = whole(request.timeout_seconds.as_ref().and_then(|number| number.as_i64()));
        let retries = whole(request.retry_count.as_ref().and_then(|number| number.as_i64()));
        let phase = whole(request.phase.as_i64());
        Self {
            agent_name: request.agent_name.as_str().to_owned(),
            prompt: request.prompt.clone(),
            timeout_seconds: timeout.unwrap_or(TIMEOUT),
            request_id: request.request_id.as_str().to_owned(),
            phase: phase.and_then(|phase| u8::try_from(phase).ok()).unwrap_or_default(),
            retry_count: retries.and_then(|count| u32::try_from(count).ok()).unwrap_or_default(),
        }
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(At(i64::try_from(since.as_micros()).unwrap_or(i64::MAX)).to_string())
}

#[cfg(test)]
mod tests;
