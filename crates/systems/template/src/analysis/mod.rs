//! What a project is made of, found by reading it.
//!
//! [`analyse`] is the way in: `project` reads, the others look at what was read, one file for each question.
//! Nothing here writes, runs a program or asks an agent, and nothing from the project is an error: what is
//! broken says nothing.

mod analyse;
mod architecture;
mod commands;
mod confidence;
mod conventions;
mod findings;
mod frameworks;
mod key_files;
mod languages;
mod layers;
mod manifest;
mod measure;
mod names;
mod ownership;
mod project;
mod roles;
mod sample;
mod symbols;
mod testing;
mod usual;

pub use analyse::analyse;
pub use consign_code::{Cancel, Error};
pub use findings::{
    Analysis, Commands, Conventions, Count, Dependency, Evidence, Framework, KeyFile,
    LanguageShare, Layer, Names, Pattern, Testing,
};
pub use layers::layer_of;
pub(crate) use measure::{is_page, is_program};
pub(crate) use usual::usual_names;
