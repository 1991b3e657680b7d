//! Agent jobs: Scribe writes documentation, Trace plans tests, Proto builds scaffolds (docs/spec/authoring.md).
//!
//! [`job`] makes a durable run of a job: [`workflows`] are the programs and [`agents`] is what their calls reach.
//! [`trace`], [`proto`] and [`scribe`] generate: they are pure, and the same input always gives the same output. Nothing here
//! knows a route or an account; a job's owner is the owner of its run.

pub mod job;
pub mod proto;
pub mod scribe;
pub mod trace;

pub use job::{agents, workflows};
