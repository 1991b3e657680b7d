//! Template creation: a project that a team likes becomes a template that it can use again.
//!
//! `analysis` reads the project, `package` is what the phases make of it, and everything is found
//! without an agent. Where judgement helps, an outside agent is asked, and its answer is held to a
//! contract before it counts.

pub mod analysis;
pub mod assemble;
pub mod documentation;
pub mod files;
pub mod manifest;
pub mod mirror;
pub mod new;
pub mod package;
pub mod placeholders;
pub mod respond;
pub mod settings;
mod tree;

use serde::{Deserialize, Serialize};

/// Who found something out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Read from the project by rules.
    #[default]
    Heuristic,
    /// Said by an agent, and within its contract and confidence.
    Agent,
}
