//! Finds the files of the project that a file needs to be built.
//!
//! Each language has its own syntax for it, and is read as plain text: a comment or a string may add a
//! file too many, never one too few. Imports of other projects are skipped.

mod cargo;
mod go;
mod index;
mod python;
mod rust;
mod script;
mod types;

use consign_code::Language;

pub(super) use self::index::{Index, folder, stem};

/// Something that a file needs from its own project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// As it is written.
    pub(super) written: String,
    /// The files that it leads to. Empty if there are none.
    pub(super) files: Vec<String>,
}

impl Import {
    fn new(written: &str, files: Vec<String>) -> Self {
        Self { written: written.chars().take(200).collect(), files }
    }
}

/// What a file imports of its own project.
pub(super) fn imports(index: &Index, path: &str, content: &str) -> Vec<Import> {
    if path == "Cargo.toml" || path.ends_with("/Cargo.toml") {
        return cargo::imports(index, path, content);
    }
    match Language::of(path) {
        Some(Language::Rust) => rust::imports(index, path, content),
        Some(Language::Python) => python::imports(index, path, content),
        Some(
            Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Vue
            | Language::Svelte,
        ) => script::imports(index, path, content),
        Some(Language::Go) => go::imports(index, path, content),
        Some(
            Language::Java
            | Language::Kotlin
            | Language::CSharp
            | Language::Php
            | Language::Ruby
            | Language::Scala
            | Language::Swift
            | Language::Dart,
        ) => types::imports(index, path, content),
        Some(_) | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
