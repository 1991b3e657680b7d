//! Envelope pipelines: the state of a question travels with it (docs/spec/envelope.md).
//!
//! A [`Pipeline`] is read and checked by [`file`]. A [`Journey`] is an envelope on its way through one,
//! as a value: [`carry`] drives it in memory, for pipes and requests, and [`workflow`] makes it a
//! durable run. Both give the same outputs, because neither decides anything. Who works in
//! a stage is found by [`StageDirectory`]; the six agents of the default pipeline are another crate's, and of them
//! only what [`built_in`] says is known here.

pub mod adopt;
mod agent_scope;
pub mod built_in;
pub mod carry;
pub mod draw;
pub mod envelope;
pub mod file;
mod input;
pub mod journey;
mod person;
mod pinned;
#[allow(clippy::module_inception, reason = "the pipeline is what the folder is about")]
mod pipeline;
mod result;
mod saved;
mod shortest;
mod stage_directory;
pub mod transitions;
mod workflow;
mod worst;

pub use agent_scope::AgentScope;
pub use input::GIVEN;
pub use journey::{Journey, Unfit};
pub use person::Person;
pub use pinned::{Pinned, Pins};
pub use pipeline::{
    BUILT_IN, Bounds, Does, END, INTEGRATION, Pipeline, Route, START, Stage, THINKING, Target, Who,
};
pub use result::result;
pub use shortest::Shortest;
pub use stage_directory::{StageDirectory, agents};
pub use workflow::{ENVELOPE, PipelineInput, workflows};
pub use worst::Worst;
