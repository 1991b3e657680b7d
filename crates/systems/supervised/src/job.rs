//! The life of a job, as a value.
//!
//! [`Job::apply`] is the only way a job changes: it takes an [`Event`] that has happened, and refuses one that cannot
//! happen where the job stands. [`Job::wants`] says what is to be done next, and [`Job::status`] the document's word
//! for where it stands. A job does not grow with its history: it keeps what the next request needs, and counts.

use consign_contracts::job::{Action, JobStatus};
use consign_engine::Nanos;
use serde::{Deserialize, Serialize};

use crate::phase::Phase;

/// A phase is begun again so many times; the next `RETRY` needs the steward.
const MOST_RETRIES: u32 = 3;

/// Who acts in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Worker,
    Supervisor,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stand {
    Draft,
    /// The phase is ready. With `reset` its workspace is laid anew as it was when the phase began.
    Pending {
        reset: bool,
    },
    /// The worker works.
    Working,
    /// The check of the phase runs.
    Checking,
    /// The supervisor reviews.
    Reviewing,
    /// A person has to approve the end of the job.
    Approving,
    /// The phase was accepted, and its recovery point is being made.
    Accepting,
    /// A person has to help this role.
    Stuck(Role),
    Done,
    Canceled,
}

/// What has happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Activated,
    /// The workspace is as it should be for the phase.
    Claimed,
    /// An agent acted: what it decided, in its own words, and what that cost.
    Acted {
        action: Action,
        words: String,
        cost: Nanos,
    },
    /// The check ran.
    Checked,
    /// The recovery point of the phase is made.
    Accepted,
    Advised {
        text: String,
        reset: bool,
    },
    Halted,
    Approved,
    Rejected {
        why: String,
    },
    /// So many interactions may be made, and then the job pauses; all of them, if nothing is said.
    Paced(Option<u64>),
    /// The job is as it was before a phase began, or at its end.
    Restored {
        at: usize,
    },
    Canceled,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// Prepare the workspace for the phase, from its beginning if `reset`.
    Claim {
        reset: bool,
    },
    Act(Role),
    Check,
    /// Make the recovery point of the phase.
    Accept,
    /// A person has to say something: activate, advise or approve.
    Person,
    /// A person makes one interaction after the other, and has not asked for the next.
    Pause,
    Nothing,
}

/// An event that cannot happen where the job stands.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the job is {}, and cannot be {wish} there", .status.as_str())]
pub struct Refused {
    pub status: JobStatus,
    pub wish: &'static str,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    pub phases: Vec<Phase>,
    /// The phase that the job is at.
    pub at: usize,
    pub stand: Stand,
    pub require_approval: bool,
    /// What the interactions cost.
    pub spent: Nanos,
    /// Interactions so far: the sequence of the next.
    pub interactions: u64,
    /// How often this phase was begun again since a person advised.
    pub retries: u32,
    /// Why the phase is begun again: for the next request.
    pub reason: Option<String>,
    /// What the steward advised: for the next request.
    pub advice: Option<String>,
    /// How many interactions may be made before the job pauses; nothing is no bound.
    pub allowance: Option<u64>,
}

impl Job {
    /// A job as it is made, before it is activated. There must be at least one phase.
    #[must_use]
    pub fn new(phases: Vec<Phase>, require_approval: bool) -> Self {
        Self {
            phases,
            at: 0,
            stand: Stand::Draft,
            require_approval,
            spent: Nanos::ZERO,
            interactions: 0,
            retries: 0,
            reason: None,
            advice: None,
            allowance: None,
        }
    }

    #[must_use]
    pub fn phase(&self) -> &Phase {
        &self.phases[self.at.min(self.phases.len() - 1)]
    }

    /// The document's word for where the job stands. A limit that the engine holds it to is not known here.
    #[must_use]
    pub fn status(&self) -> JobStatus {
        match self.stand {
            Stand::Draft => JobStatus::Draft,
            Stand::Pending { .. } => JobStatus::Pending,
            Stand::Working | Stand::Checking => JobStatus::Running,
            Stand::Reviewing | Stand::Approving | Stand::Accepting => JobStatus::Reviewing,
            Stand::Stuck(_) => JobStatus::InterventionRequired,
            Stand::Done => JobStatus::Success,
            Stand::Canceled => JobStatus::Canceled,
        }
    }

    #[must_use]
    pub fn wants(&self) -> Wants {
        let acts = matches!(self.stand, Stand::Pending { .. } | Stand::Working | Stand::Reviewing);
        if acts && self.allowance == Some(0) {
            return Wants::Pause;
        }
        match self.stand {
            Stand::Pending { reset } => Wants::Claim { reset },
            Stand::Working => Wants::Act(Role::Worker),
            Stand::Checking => Wants::Check,
            Stand::Reviewing => Wants::Act(Role::Supervisor),
            Stand::Accepting => Wants::Accept,
            Stand::Draft | Stand::Approving | Stand::Stuck(_) => Wants::Person,
            Stand::Done | Stand::Canceled => Wants::Nothing,
        }
    }

    /// Takes in what has happened, or refuses it and stays as it is.
    pub fn apply(&mut self, event: Event) -> Result<(), Refused> {
        let stand = match (self.stand, event) {
            (Stand::Draft, Event::Activated) => Stand::Pending { reset: false },
            (Stand::Pending { .. }, Event::Claimed) => Stand::Working,
            (Stand::Working, Event::Acted { action, words, cost }) => {
                self.acted(Role::Worker, action, words, cost)
            }
            (Stand::Reviewing, Event::Acted { action, words, cost }) => {
                self.acted(Role::Supervisor, action, words, cost)
            }
            (Stand::Checking, Event::Checked) => self.worked(),
            (Stand::Accepting, Event::Accepted) => self.accepted(),
            (Stand::Stuck(role), Event::Advised { text, reset }) => self.advised(role, text, reset),
            (Stand::Stuck(_), Event::Halted) => Stand::Canceled,
            (Stand::Approving, Event::Approved) => Stand::Accepting,
            (Stand::Approving, Event::Rejected { why }) => self.again(Role::Worker, why),
            (Stand::Done | Stand::Canceled, event) => return Err(self.refuse(&event)),
            (_, Event::Canceled) => Stand::Canceled,
            (stand, Event::Paced(allowance)) => {
                self.allowance = allowance;
                stand
            }
            (stand, Event::Restored { at }) if stand != Stand::Draft && at <= self.phases.len() => {
                self.restored(at)
            }
            (_, event) => return Err(self.refuse(&event)),
        };
        self.stand = stand;
        Ok(())
    }

    fn refuse(&self, event: &Event) -> Refused {
        let wish = match event {
            Event::Activated => "activated",
            Event::Claimed => "claimed",
            Event::Acted { .. } => "worked on",
            Event::Checked => "checked",
            Event::Accepted => "accepted",
            Event::Advised { .. } => "advised",
            Event::Halted => "halted",
            Event::Approved => "approved",
            Event::Rejected { .. } => "rejected",
            Event::Paced(_) => "driven",
            Event::Restored { .. } => "restored",
            Event::Canceled => "canceled",
        };
        Refused { status: self.status(), wish }
    }

    fn acted(&mut self, role: Role, action: Action, words: String, cost: Nanos) -> Stand {
        self.interactions += 1;
        self.allowance = self.allowance.map(|left| left.saturating_sub(1));
        self.spent = self.spent + cost;
        // What the request had is said.
        (self.reason, self.advice) = (None, None);
        match (action, role) {
            (Action::Completed, Role::Worker) if self.phase().check.is_some() => Stand::Checking,
            (Action::Completed, Role::Worker) => self.worked(),
            (Action::Completed, Role::Supervisor) => self.reviewed(),
            (Action::Retry, _) => self.again(role, words),
            (Action::Stuck, _) => Stand::Stuck(role),
        }
    }

    /// The worker is done: its work is reviewed, if anyone does that here.
    fn worked(&self) -> Stand {
        if self.phase().supervisor.is_some() { Stand::Reviewing } else { self.reviewed() }
    }

    /// The phase is good. At the end of the job a person may have to agree.
    fn reviewed(&self) -> Stand {
        let last = self.at + 1 == self.phases.len();
        if last && self.require_approval { Stand::Approving } else { Stand::Accepting }
    }

    fn accepted(&mut self) -> Stand {
        self.retries = 0;
        self.at += 1;
        if self.at < self.phases.len() { Stand::Pending { reset: false } } else { Stand::Done }
    }

    /// The phase begins again, from its starting workspace. The fourth time a person has to help.
    fn again(&mut self, role: Role, why: String) -> Stand {
        self.reason = Some(why);
        if self.retries >= MOST_RETRIES {
            return Stand::Stuck(role);
        }
        self.retries += 1;
        Stand::Pending { reset: true }
    }

    /// The phase begins as it did the first time, from the workspace of then.
    fn restored(&mut self, at: usize) -> Stand {
        self.at = at;
        self.retries = 0;
        (self.reason, self.advice) = (None, None);
        // The end of the job is a place, too.
        if at < self.phases.len() { Stand::Pending { reset: true } } else { Stand::Done }
    }

    /// The status that an action of a role leads to, were it said now.
    #[must_use]
    pub fn leads_to(&self, role: Role, action: Action) -> JobStatus {
        let mut job = self.clone();
        job.stand = job.acted(role, action, String::new(), Nanos::ZERO);
        // The check decides nothing: the word is for where the phase goes then.
        if job.stand == Stand::Checking {
            job.stand = job.worked();
        }
        if job.stand == Stand::Accepting {
            job.stand = job.accepted();
        }
        job.status()
    }

    /// The role that the next interaction is of.
    #[must_use]
    pub fn next_role(&self) -> Role {
        match self.stand {
            Stand::Reviewing | Stand::Stuck(Role::Supervisor) => Role::Supervisor,
            Stand::Draft
            | Stand::Pending { .. }
            | Stand::Working
            | Stand::Checking
            | Stand::Approving
            | Stand::Accepting
            | Stand::Stuck(Role::Worker)
            | Stand::Done
            | Stand::Canceled => Role::Worker,
        }
    }

    /// The role that was stuck goes on: work that is paid for is not done again, unless the steward says so.
    fn advised(&mut self, role: Role, text: String, reset: bool) -> Stand {
        self.retries = 0;
        self.advice = Some(text);
        match (role, reset) {
            (Role::Supervisor, false) => Stand::Reviewing,
            (Role::Supervisor | Role::Worker, reset) => Stand::Pending { reset },
        }
    }
}

#[cfg(test)]
mod tests;
