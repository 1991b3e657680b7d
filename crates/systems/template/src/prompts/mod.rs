//! The prompts of the three phases that ask an outside agent.
//!
//! The words are Markdown files beside this one; what was found in the project is filled in. Text of
//! the project is data: it stands in fences that nothing in it can close, under a heading that says so.
//! The same findings always give the same prompt, and none is longer than [`LONGEST`].

mod agent_creation;
mod agent_enhancement;
mod codebase_analysis;
mod facts;
mod fill;
mod sample;

pub use self::{
    agent_creation::agent_creation, agent_enhancement::agent_enhancement,
    codebase_analysis::codebase_analysis,
};

/// The most bytes that a prompt has.
pub const LONGEST: usize = 200 << 10;

#[cfg(test)]
mod tests;
