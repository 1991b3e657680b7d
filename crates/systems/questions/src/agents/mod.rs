//! The six built-in agents of the default pipeline: they answer questions about a code repository,
//! with or without a model.
//!
//! [`find`] gives one by name. [`BuiltIn::work`] does its part without a model; where a model may do
//! it, [`BuiltIn::prompt`] is what it is asked and [`BuiltIn::settle`] what its answer must pass. An
//! agent is given a [`Brief`] and gives one output; it keeps nothing between two calls, writes
//! nothing anywhere, and reads the repository only through [`super::tools`].

mod barred;
mod brief;
mod built_in;
mod counting;
mod critic;
mod entities;
mod execution;
mod glossary;
mod goals;
mod integration;
mod intent;
mod language;
mod manifest;
mod perception;
mod plan;
mod prompt;
mod test_code;
#[cfg(test)]
mod tests;
mod topic;

use crate::{
    json,
    words::{self, clip, last_name},
};
pub use brief::{Brief, Stop};
pub use built_in::{BuiltIn, all, find};
