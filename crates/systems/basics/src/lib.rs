//! How work is done: the workflows and their agents.

pub mod agent;
pub mod pipeline;
pub mod sample;
pub mod template;
