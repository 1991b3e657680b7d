//! Envelope pipelines: the state of a question travels with it (docs/spec/envelope.md).
//!
//! A [`Pipeline`] is read and checked by [`file`]. A [`Journey`] is an envelope on its way through one,
//! as a value: [`carry`] drives it in memory, for pipes and requests, and [`workflow`] makes it a
//! durable run. Both give the same outputs, because neither decides anything. [`agents`] are the six
//! that come with Consign.

pub mod adopt;
pub mod agents;
pub mod carry;
pub mod draw;
pub mod envelope;
mod faults;
pub mod file;
mod input;
pub mod journey;
mod outfit;
mod pinned;
#[allow(clippy::module_inception, reason = "the pipeline is what the folder is about")]
mod pipeline;
mod place;
mod remember;
mod result;
mod saved;
mod shortest;
pub mod tools;
pub mod ways;
mod workflow;
mod worst;

pub use input::GIVEN;
pub use journey::{Journey, Unfit};
pub use outfit::{Outfit, agents as built_in_agents};
pub use pinned::{Pinned, Pins};
pub use pipeline::{
    BUILT_IN, Bounds, Does, END, INTEGRATION, Pipeline, Route, START, Stage, THINKING, Target, Who,
};
pub use place::Place;
pub use remember::remembering;
pub use result::result;
pub use shortest::Shortest;
pub use workflow::{ENVELOPE, Errand, workflows};
pub use worst::Worst;
