//! What a project is made of, found by reading it.

mod findings;

pub use findings::{
    Analysis, Commands, Conventions, Count, Dependency, Evidence, Framework, KeyFile,
    LanguageShare, Layer, Names, Pattern, Testing,
};
