//! A job as a durable run.
//!
//! There is one workflow for each type (`authoring/scribe`, `authoring/trace`, `authoring/proto`), so that lists can be
//! filtered by type; all three are the same program. [`JobInput`] is what a run is given, [`Progress`] what it has come
//! to, [`JobOutcome`] what it ends with. Its label is the job's state.
//!
//! The order is: read the repository (Scribe), plan, think (only with a model), make, reflect (Proto), ask for approval
//! (Scribe, if it was wanted), publish. [`Progress::next`] is that rule, and it is pure: no clock, no store, no model. What
//! is in making Scribe's documents is in [`scribe`](crate::scribe), and what is in publishing in
//! [`publish`](crate::publish).

mod agents;
mod approval;
mod check;
mod generators;
mod input;
mod kind;
pub(crate) mod model;
mod outcome;
mod places;
mod progress;
mod prompts;
mod publishing;
mod result;
mod usage;
mod workflow;

pub use self::{
    agents::{agents, is_agent, rule_agents},
    approval::{APPROVAL, Approval, digest},
    check::Invalid,
    input::{JobInput, JobSettings, Revision},
    kind::{kind_of, workflow_name},
    model::{RULES, check_model},
    outcome::{Explained, JobOutcome, JobPlan, Quality},
    progress::{End, Made, Progress, Step, Thought},
    result::{MadeFile, artifacts},
    usage::AiUsage,
    workflow::workflows,
};

pub use consign_contracts::authoring::{AgentType, JobState};

/// The code of a job that its user cancelled.
pub const JOB_CANCELLED: &str = "JOB_CANCELLED";
/// The code of a job whose plan or documents a person rejected.
pub const JOB_REJECTED: &str = "JOB_REJECTED";
