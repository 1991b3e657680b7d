//! The agents that come with a template: Markdown files that tell a coding assistant how one kind of
//! work is done in projects of this kind.
//!
//! [`existing`] finds those that are there already, [`recommend`] says which others a project calls
//! for, [`draft`] writes one down and [`enhance`] adds what the template's own files show. All of it
//! works without an outside agent, and says nothing that was not found.

mod about;
mod dependencies;
mod draft;
mod enhance;
mod excerpt;
mod existing;
mod file;
mod recommend;
mod sample;

pub(crate) use self::{
    about::About,
    file::{front_matter, title},
};
pub use self::{
    draft::draft,
    enhance::enhance,
    existing::{GLOBAL, existing},
    recommend::recommend,
};

/// The most agents that a template gets.
pub const MOST_AGENTS: usize = 12;
