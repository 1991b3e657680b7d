//! The making of a template, as a value.
//!
//! A [`Creation`] is everything that the state file holds. It calls no agent, reads no clock and no
//! file: its driver does the work of its [`Step`], and reports the outcome. A pending request can be
//! answered once, by the response that has its id.

mod judge;
mod reply;
mod report;
mod state;
mod step;

pub(crate) use self::state::is_read;
pub use self::{
    judge::{Judgement, judge},
    reply::{Cause, Reply},
    report::{Fallback, Note, PhaseReport, Report},
    state::Unreadable,
    step::{PHASES, Step, phase_name},
};

use consign_contracts::{
    bridge::{AgentRequest, RequestContext},
    json::Object,
    wire::{Integer, Timestamp, Uuid},
};
use consign_engine::{At, Data};
use serde::{Deserialize, Serialize};

use super::{
    analysis::Analysis,
    assemble::Validation,
    package::{AgentFile, AgentSpec, ExistingAgents, Templates},
};

/// How long an agent has for its first try.
const FIRST_TIMEOUT: i64 = 120;
/// The longest that the contract allows.
const LONGEST_TIMEOUT: i64 = 600;
/// The tries of one request, the first included.
pub const MOST_TRIES: u8 = 3;

/// The state of the making of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct Creation {
    pub order: Order,
    pub run: String,
    /// How often the state was written.
    pub seq: u64,
    pub step: Step,
    pub pending: Option<Pending>,
    /// How often the request of this step was tried before.
    pub tries: u8,
    /// The SHA-256 of the response that was taken last.
    pub consumed: Option<String>,
    pub found: Found,
    pub completed: Vec<Completed>,
    pub requests: Vec<Asked>,
    pub notes: Vec<Note>,
    /// What another tool left for us to go on with.
    adopted: Option<Adopted>,
    /// Members of `phase_data` that are not ours.
    extra: Object<'static>,
}

/// What the user ordered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Absolute, without links.
    pub project: String,
    /// Absolute.
    pub output: String,
    pub name: String,
    #[serde(default)]
    pub options: Options,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Leave out phases 5 to 7.
    pub no_agents: bool,
    /// Write a scored report in phase 9.
    pub validate: bool,
    pub max_templates: Option<usize>,
    /// The script that answers in the place of agents.
    pub agent_script: Option<String>,
    /// The project's name that is to be replaced, if the user gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_name: Option<String>,
}

/// A request that has no answer yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    pub request: AgentRequest,
    pub asked_at: At,
}

impl Pending {
    /// Whether the agent's time is over.
    #[must_use]
    pub fn is_late(&self, now: At) -> bool {
        now.since(self.asked_at).as_secs() >= self.timeout()
    }

    /// In seconds.
    #[must_use]
    pub fn timeout(&self) -> u64 {
        let seconds = self.request.timeout_seconds.as_ref().and_then(Integer::as_i64);
        u64::try_from(seconds.unwrap_or(FIRST_TIMEOUT)).unwrap_or(0)
    }

    #[must_use]
    pub fn retries(&self) -> u8 {
        let retries = self.request.retry_count.as_ref().and_then(Integer::as_i64).unwrap_or(0);
        u8::try_from(retries).unwrap_or(u8::MAX)
    }
}

/// What the phases have found and made so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Found {
    pub codebase_analysis: Option<Analysis>,
    pub manifest: Option<Data>,
    pub settings: Option<Data>,
    pub templates: Option<Templates>,
    pub existing_agents: Option<ExistingAgents>,
    pub recommended_agents: Vec<AgentSpec>,
    pub agents: Vec<AgentFile>,
    pub documentation: Option<String>,
    /// What was written, relative to the output.
    pub files: Vec<String>,
    pub validation: Option<Validation>,
}

/// A phase that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    pub phase: u8,
    pub at: String,
    pub summary: String,
}

/// A request that was made, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub request_id: String,
    pub agent: String,
    pub phase: u8,
    pub status: String,
}

/// The usable part of a state that another tool wrote.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Adopted {
    /// Its phase 1 is done: what an agent said then is not asked again.
    reviewed: Option<Analysis>,
    /// The request that it left open, to be taken up in its phase.
    request: Option<Data>,
}

impl Creation {
    /// One that begins.
    #[must_use]
    pub fn new(order: Order, run: String) -> Self {
        Self {
            order,
            run,
            seq: 0,
            step: Step::default(),
            pending: None,
            tries: 0,
            consumed: None,
            found: Found::default(),
            completed: Vec::new(),
            requests: Vec::new(),
            notes: Vec::new(),
            adopted: None,
            extra: Object::new(),
        }
    }

    /// What was found about the code. Every step after the first has it.
    #[must_use]
    pub fn analysis(&self) -> Analysis {
        self.found.codebase_analysis.clone().unwrap_or_default()
    }

    #[must_use]
    pub fn templates(&self) -> Templates {
        self.found.templates.clone().unwrap_or_default()
    }

    /// The agent whose body is written in this step, if it is one of those.
    #[must_use]
    pub fn enhances(&self) -> Option<&AgentFile> {
        if let Step::Enhance(at) = self.step { self.found.agents.get(at) } else { None }
    }

    /// The work of a step is done, and the next one begins.
    pub fn advance(&mut self) {
        self.tries = 0;
        self.step = match self.step {
            Step::Analyse => Step::ReviewAnalysis,
            Step::ReviewAnalysis => Step::Manifest,
            Step::Manifest => Step::Settings,
            Step::Settings => Step::Templates,
            Step::Templates if self.order.options.no_agents => Step::Document,
            Step::Templates => Step::Recommend,
            Step::Recommend => Step::ReviewAgents,
            Step::ReviewAgents => Step::Draft,
            Step::Draft if self.found.agents.is_empty() => Step::Document,
            Step::Draft => Step::Enhance(0),
            Step::Enhance(at) if at + 1 < self.found.agents.len() => Step::Enhance(at + 1),
            Step::Enhance(_) => Step::Document,
            Step::Document => Step::Assemble,
            Step::Assemble | Step::Complete => Step::Complete,
        };
    }

    /// A phase is done.
    pub fn complete(&mut self, phase: u8, at: At, summary: impl Into<String>) {
        self.completed.retain(|done| done.phase != phase);
        self.completed.push(Completed { phase, at: at.to_string(), summary: summary.into() });
    }

    /// Asks the agent of this step. The request counts as made once this is committed.
    pub fn ask(&mut self, prompt: String, id: [u8; 16], now: At) {
        let Some((phase_name, agent_name)) = self.step.asks() else { return };
        if let Some(pending) = self.left_open(phase_name, now) {
            self.record(&pending.request, "pending");
            self.pending = Some(pending);
            return;
        }
        let timeout = (FIRST_TIMEOUT << self.tries.min(8)).min(LONGEST_TIMEOUT);
        let request = AgentRequest {
            request_id: Uuid(uuid::Builder::from_random_bytes(id).into_uuid().to_string()),
            version: "1.0".to_owned(),
            phase: Integer::from(i64::from(self.step.phase())),
            phase_name,
            agent_name,
            prompt,
            context: Some(RequestContext {
                project_path: Some(self.order.project.clone()),
                output_path: Some(self.order.output.clone()),
                template_name: Some(self.order.name.clone()),
                extra: Object::new(),
            }),
            timeout_seconds: Some(Integer::from(timeout)),
            created_at: Timestamp(now.to_string()),
            retry_count: Some(Integer::from(i64::from(self.tries))),
        };
        self.record(&request, "pending");
        self.pending = Some(Pending { request, asked_at: now });
    }

    fn record(&mut self, request: &AgentRequest, status: &str) {
        let id = request.request_id.as_str();
        if let Some(known) = self.requests.iter_mut().find(|asked| asked.request_id == id) {
            status.clone_into(&mut known.status);
            return;
        }
        self.requests.push(Asked {
            request_id: id.to_owned(),
            agent: request.agent_name.as_str().to_owned(),
            phase: self.step.phase(),
            status: status.to_owned(),
        });
    }

    /// The request is over. Says which it was.
    pub fn settle(&mut self, status: &str) -> Option<AgentRequest> {
        let pending = self.pending.take()?;
        self.record(&pending.request, status);
        Some(pending.request)
    }

    /// Makes the request of this step again, with more time.
    pub fn again(&mut self) {
        self.tries = self.tries.saturating_add(1);
    }

    /// What an agent of another tool already said about the code.
    pub fn reviewed_elsewhere(&mut self) -> Option<Analysis> {
        self.adopted.as_mut()?.reviewed.take()
    }

    /// The agents that were asked before the pending request, in order.
    #[must_use]
    pub fn asked_before(&self) -> Vec<&str> {
        let pending = self.pending.as_ref().map(|pending| pending.request.request_id.as_str());
        let before = self.requests.iter().filter(|asked| Some(&*asked.request_id) != pending);
        before.map(|asked| asked.agent.as_str()).collect()
    }
}

/// What a request that ended well is called in the history.
pub const COMPLETED: &str = "completed";

#[cfg(test)]
mod tests;
