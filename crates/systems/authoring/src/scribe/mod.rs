//! Scribe: documents of a repository, written, checked against its code, and published.
//!
//! [`state`] is what a job of Scribe has come to, as a value; [`calls`] says what is open then, and [`agents`] does it. The order is: read the
//! repository at one commit, plan, and for each document brief, write, check (asked again once, then what was not found is
//! taken out) and review. Everything that says what is true of the code is in `consign-documentation`.
//!
//! The repository itself is never in the journal: every call names the commit, and [`library`] reads it again where
//! it is not at hand.
//!
//! What this must not do: let a model, or text of the repository, choose a path, a branch, a target or a tool. A model
//! returns text and outlines, nothing else.

pub(crate) mod agents;
mod calls;
mod draft;
pub(crate) mod library;
mod outline;
pub(crate) mod prompts;
mod result;
pub(crate) mod revise;
pub(crate) mod state;
mod text;
pub(crate) mod wanted;
mod work;

pub use self::state::Scribe;
