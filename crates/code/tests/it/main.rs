//! What a repository says, by capability. Each test writes the repository it asks.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod calls;
mod census;
mod confinement;
mod files;
mod heirs;
mod hiding;
mod history;
mod history_hostile;
mod hostile;
mod languages;
mod macros;
mod references;
mod search;
mod survey;
mod symbols;
mod tests;
mod tree;
mod walk;
mod world;
