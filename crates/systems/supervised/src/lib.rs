//! Supervised jobs: a worker agent does a phase, a supervisor agent reviews it, a person (the steward) unblocks it.
//! docs/spec/job.md has the contracts and the rules.
//!
//! The core is pure: [`phase`] reads what a job consists of, [`answer`] judges what an agent said, [`Job::apply`] is the
//! only way in which a job changes, and [`workflows`] makes a durable run of it. [`RoleDirectory`] and [`agents`] are what
//! its calls reach: they read and write the workspace. The job's directory ([`directory`]) is written from the journal.

pub mod added;
mod agents;
pub mod amount;
pub mod answer;
pub mod audit;
pub mod directory;
pub mod git;
pub mod history;
pub mod input;
mod job;
pub mod judged;
pub mod manifest;
pub mod name;
pub mod phase;
mod question;
pub mod record;
pub mod replay;
pub mod request;
pub mod role;
mod role_agent;
pub mod sealed;
pub mod state;
mod step_agents;
pub mod steps;
pub mod turn;
mod workflow;
pub mod workspace;

use consign_engine::Fault;

pub use agents::{RoleDirectory, agents};
pub use job::{Event, Job, Refused, Role, Stand, Wants};
pub use phase::Phase;
pub use role_agent::{JobKeys, prepared};
pub use workflow::{ROLE, SUPERVISED, UNSAFE_ROLE, restore, workflows};

/// A workspace that could not be read or written, as a fault of a step.
fn fault_of(why: &workspace::Error) -> Fault {
    Fault::transient("WORKSPACE_FAILED", why.to_string())
}
