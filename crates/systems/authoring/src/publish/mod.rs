//! Publishing what a job made: a branch, one commit per file, one pull request.
//!
//! Repositories are opened by [`OpenRepository`], which a home implements. Each write is a call of its own in the
//! journal of the run, with a key that the repository keeps: after a crash, or an answer that was lost, it is looked
//! for before it is made. [`Publication`] is how far it has come, as a value.
//!
//! What this must not do: take a branch, a path or a message from a model; write to the base branch, unless the user
//! chose `branchStrategy: manual`; fail a job because a repository is out of reach.

pub(crate) mod agents;
pub(crate) mod look;
pub(crate) mod names;
mod port;
mod steps;

pub(crate) use self::steps::{File, Next, Order, Then};
pub use self::{
    port::{NoRepositories, OpenRepository, fault_of},
    steps::Publication,
};
