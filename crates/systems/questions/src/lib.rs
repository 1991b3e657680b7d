//! Questions about a code repository, answered with evidence: the six built-in agents of the default pipeline.
//!
//! [`agents`] has the six (perception, intent, plan, execution, critic, integration) as plain functions from a
//! [`Brief`] to an output; [`tools`] is what they look at a repository with, under a policy. [`stage_agents`]
//! makes engine agents of them and [`Thinkers`] finds those that ask a model; [`remembering`] gives them the
//! session's earlier questions.
//!
//! Nothing here knows pipelines, stages or routing. Nothing writes, starts a program or leaves the repository.

pub mod agents;
mod json;
mod remember;
mod stage_agents;
pub mod tools;
mod words;

pub use agents::{Brief, BuiltIn, Stop};
pub use remember::remembering;
pub use stage_agents::{Thinkers, stage_agents};
