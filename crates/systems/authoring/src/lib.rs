//! Agent jobs: Scribe writes documentation, Trace plans tests, Proto builds scaffolds (docs/spec/authoring.md).
//!
//! [`job`] makes a durable run of a job: [`workflows`] are the programs and [`agents`] is what their calls reach.
//! [`trace`] and [`proto`] generate, and `consign-documentation` does for [`scribe`]: they are pure, and the same input always
//! gives the same output. [`publish`] brings what was made to a repository. Nothing here knows a route or an account; a job's owner is the owner of its run.

pub mod job;
pub mod proto;
pub mod publish;
pub mod scribe;
pub mod trace;

pub use job::{agents, workflows};
