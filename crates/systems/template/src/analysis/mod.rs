//! Analyses a project by reading its files.
//!
//! Call [`analyse`]: `project` reads, the others look at what was read, one file for each question.
//! Nothing here writes, runs a program or asks an agent, and nothing in the project is an error: broken
//! files are skipped.

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
