//! Template creation: a project that a team likes becomes a template that it can use again.
//!
//! `analysis` reads the project, `package` is what the phases make of it, and everything is found
//! without an agent. Where judgement helps, an outside agent is asked (`prompts`), and its answer is
//! held to a contract before it counts (`answers`). `agents` are those that come with a template;
//! `scripted` stands in for outside agents in tests. `creation` is where all of that stands, as a value;
//! `maker` drives it, `folder` is where it lives. `respond` writes answers, and `mirror` shows it in the
//! inbox.

pub mod agents;
pub mod analysis;
pub mod answers;
pub mod assemble;
pub mod creation;
pub mod documentation;
pub mod files;
pub mod folder;
mod guide;
mod import_lines;
pub mod maker;
pub mod manifest;
pub mod mirror;
pub mod new;
pub mod package;
pub mod placeholders;
mod plain;
pub mod prompts;
pub mod respond;
pub mod scripted;
pub mod settings;
mod tree;

use serde::{Deserialize, Serialize};

/// Where a finding or a text comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Read from the project by rules.
    #[default]
    Heuristic,
    /// From an agent's answer that kept its contract and was confident enough.
    Agent,
}
