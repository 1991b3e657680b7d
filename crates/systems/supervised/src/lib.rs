//! Supervised jobs: a worker agent does a phase, a supervisor agent reviews it, a person (the steward) unblocks it.
//! docs/spec/job.md has the contracts and the rules.
//!
//! Most of it is pure: [`phase`] reads what a job consists of, [`answer`] judges what an agent said, and
//! [`Job::apply`] is the only way in which a job changes. Nothing of that reads a clock, a file or a model.
//! [`workspace`] is what touches the folder in which the agents work.
//! All but [`history`] is pure: [`phase`] reads what a job consists of, [`answer`] judges what an agent said, and
//! [`Job::apply`] is the only way in which a job changes. None of these reads a clock, a file or a model. [`history`] keeps
//! the file `jobHistory.json`.

pub mod answer;
pub mod history;
//! [`Job::apply`] is the only way in which a job changes. They read no clock, no file and no model; [`git`] alone
//! works on files: those of a workspace, and the user's repository that it is a worktree of.
pub mod git;
mod job;
pub mod phase;
pub mod workspace;

pub use job::{Event, Job, Refused, Role, Stand, Thresholds, Wants};
pub use phase::Phase;
