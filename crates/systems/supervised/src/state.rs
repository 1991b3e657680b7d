//! Where a job's run stands: the [`Job`] itself, and what the next call needs.
//!
//! It does not grow with the interactions: it keeps the last of everything, and the recovery points.

use std::{collections::BTreeMap, path::PathBuf};

use consign_contracts::job::{Action, JobStatus};
use consign_engine::{At, Data, Nanos};
use serde::{Deserialize, Serialize};

use crate::{
    git::Attached,
    input::{JobInput, Thresholds},
    job::{Job, Role, Stand},
    name::run_name,
    turn::{CheckResult, Turn},
    workspace::TreeId,
};

/// The name of the point before the first phase.
pub const START: &str = "start";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobState {
    pub job: Job,
    pub job_id: String,
    pub description: String,
    pub directory: PathBuf,
    pub sensitive: bool,
    pub roles: Option<PathBuf>,
    pub repository: Option<Attached>,
    pub created_at: At,
    pub thresholds: Thresholds,
    /// Files that were added to the job.
    pub added: Vec<String>,
    /// The evidence of the last interaction.
    pub evidence: Vec<String>,
    /// The workspace when the phase began, and as it is now.
    pub start: Option<TreeId>,
    pub base: Option<TreeId>,
    /// The last words of worker and supervisor.
    pub worker_said: Option<String>,
    pub supervisor_said: Option<String>,
    /// How many files the worker named as evidence in this phase.
    pub worker_evidence: usize,
    pub check: Option<CheckResult>,
    /// What changed in the phase, where a person is asked.
    pub diff: Option<String>,
    pub points: Vec<Point>,
    /// Counts what has ended, so that no key is used twice.
    pub turn: u64,
    /// An answer that came over the bridge, and is to be judged.
    pub unjudged: Option<Unjudged>,
    /// A step on the workspace that failed, until a person has said something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Trouble>,
    /// Who answers in the place of the roles.
    pub agents: Option<Data>,
    /// Roles whose attempts must not be repeated without asking.
    pub unsafe_roles: Vec<String>,
    /// What the recorded interactions cost together.
    pub recorded: Nanos,
    /// What earlier runs of the same job used.
    pub before: Before,
}

/// A place to which the job can be restored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub id: String,
    /// The phase that follows.
    pub at: usize,
    /// The workspace there.
    pub tree: TreeId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unjudged {
    pub turn: Turn,
    pub answer: Data,
    pub cost: Nanos,
    pub assumed: Nanos,
}

/// A step that failed, in words, and where the job stood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trouble {
    pub stand: Stand,
    pub words: String,
}

/// What earlier runs of a job used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Before {
    pub spent: Nanos,
    pub seconds: f64,
    /// How many there were.
    pub runs: u32,
}

impl JobState {
    #[must_use]
    pub fn new(input: JobInput) -> Self {
        if let Some(generation) = input.generation {
            return *generation.state;
        }
        Self {
            job: Job::new(input.phases, input.require_approval),
            job_id: input.job_id,
            description: input.description,
            directory: input.directory,
            sensitive: input.sensitive,
            roles: input.roles,
            repository: input.repository,
            created_at: input.created_at,
            thresholds: input.thresholds,
            added: Vec::new(),
            evidence: Vec::new(),
            start: None,
            base: None,
            worker_said: None,
            supervisor_said: None,
            worker_evidence: 0,
            check: None,
            diff: None,
            points: Vec::new(),
            turn: 0,
            unjudged: None,
            trouble: None,
            agents: None,
            unsafe_roles: Vec::new(),
            recorded: Nanos::ZERO,
            before: Before::default(),
        }
    }

    /// The document's word for where the job stands. `asks` are the codes of what the engine itself asks.
    #[must_use]
    pub fn status(&self, asks: &[&str]) -> JobStatus {
        let status = self.job.status();
        if matches!(status, JobStatus::Success | JobStatus::Canceled) {
            return status;
        }
        match asks.first() {
            None => status,
            Some(&"LIMIT_COST" | &"LIMIT_OWNER") => JobStatus::HaltedCost,
            Some(&"LIMIT_TIME") => JobStatus::HaltedTime,
            Some(_) => JobStatus::InterventionRequired,
        }
    }

    /// The interaction that would be made next.
    #[must_use]
    pub fn next_turn(&self) -> Turn {
        let (job, phase) = (&self.job, self.job.phase());
        let acts = job.next_role();
        let role = match acts {
            Role::Worker => phase.role.clone(),
            Role::Supervisor => phase.supervisor.clone().unwrap_or_default(),
        };
        let reviews = acts == Role::Supervisor;
        let lead = |action: Action| {
            (action.as_str().to_owned(), job.leads_to(acts, action).as_str().to_owned())
        };
        let mut context: Vec<String> = Vec::new();
        for path in self.added.iter().chain(&phase.context).chain(&self.evidence) {
            if !context.contains(path) {
                context.push(path.clone());
            }
        }
        Turn {
            sequence: job.interactions,
            job_id: self.job_id.clone(),
            directory: self.directory.clone(),
            sensitive: self.sensitive,
            roles: self.roles.clone(),
            acts,
            role,
            objective: self.description.clone(),
            phase: phase.name.clone(),
            task: phase.task.clone(),
            reason: job.reason.clone(),
            advice: job.advice.clone(),
            summary: self.worker_said.clone().filter(|_| reviews),
            check: self.check.clone().filter(|_| reviews),
            context,
            start: self.start,
            base: self.base,
            thresholds: self.thresholds,
            leads: [Action::Completed, Action::Retry, Action::Stuck].map(lead).into(),
            agents: self.agents.clone(),
        }
    }

    /// The name under which the job's key is kept.
    #[must_use]
    pub fn job_key(&self) -> String {
        run_name(&self.job_id, &self.directory)
    }

    /// How many phases were begun: they can no longer be changed.
    #[must_use]
    pub fn begun_phases(&self) -> usize {
        let begun = if self.start.is_some() { self.job.at + 1 } else { self.job.at };
        begun.min(self.job.phases.len())
    }

    /// The id of the point that the acceptance of this phase makes.
    #[must_use]
    pub fn next_point(&self) -> String {
        let name = format!("phase-{}-complete", self.job.at + 1);
        let is_of = |point: &&Point| {
            point.id == name
                || point.id.strip_prefix(&name).is_some_and(|rest| rest.starts_with('.'))
        };
        match self.points.iter().filter(is_of).count() {
            0 => name,
            before => format!("{name}.{}", before + 1),
        }
    }

    /// The point of an id.
    #[must_use]
    pub fn point(&self, id: &str) -> Option<&Point> {
        self.points.iter().find(|point| point.id == id)
    }

    /// The newest point before a phase.
    #[must_use]
    pub fn point_before(&self, at: usize) -> Option<&Point> {
        self.points.iter().rev().find(|point| point.at == at)
    }

    /// The words of a role, by its name as the document has it.
    #[must_use]
    pub fn last_words(&self) -> BTreeMap<&str, &str> {
        let phase = self.job.phase();
        let worker = self.worker_said.as_deref().map(|said| (phase.role.as_str(), said));
        let supervisor = phase.supervisor.as_deref().zip(self.supervisor_said.as_deref());
        worker.into_iter().chain(supervisor).collect()
    }
}
