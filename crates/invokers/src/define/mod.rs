//! Agents of the user's own: a TOML file each, with a name, a contract and one way to be reached.
//!
//! ```toml
//! name = "reviewer"
//! description = "Reviews a diff"
//! effect = "pure"
//! timeout_seconds = 120
//!
//! [contract]
//! output = "review.schema.json"
//!
//! [model]
//! name = "openai/gpt-5-mini"
//! fallback = ["anthropic/claude-haiku-4-5"]
//! system = "You review code."
//! prompt = "Review this diff:\n{{input.diff}}"
//! ```
//!
//! [`read`] and [`Definition::read`] tell everything that is wrong with a file at once, each [`DefinitionFault`]
//! with its line, its key and what to do. Only of a file that is not TOML nothing but that is told.

mod build;
mod contract;
mod fault;
mod fields;
mod file;
mod folder;
mod limits;
mod model;
mod read;
mod table;
#[cfg(test)]
mod tests;
mod ways;

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use consign_contracts::json::Json;
use consign_models::file::read_text;

pub use self::{
    build::Workshop,
    fault::{DefinitionFault, DefinitionFaults},
    file::{Definition, McpServer, Reached},
    folder::Folder,
};

/// A definition is no larger than this.
const MOST_BYTES: u64 = 1 << 20;
/// A folder has no more of them than this.
const MOST_FILES: usize = 1000;

/// Why a definition cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.lines().join("\n"))]
pub struct Unusable {
    pub path: PathBuf,
    /// At least one, in the order of their lines.
    pub faults: Vec<DefinitionFault>,
}

impl Unusable {
    fn because(path: &Path, why: impl Into<String>) -> Self {
        Self { path: path.to_owned(), faults: vec![DefinitionFault::of_file(why)] }
    }

    /// The faults, for programs.
    #[must_use]
    pub fn json(&self) -> Json<'static> {
        Json::Array(self.faults.iter().map(DefinitionFault::json).collect())
    }

    /// One line for each fault: `reviewer.toml:3: effect is "pur"; did you mean "pure"?`.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let path = self.path.display();
        let line = |fault: &DefinitionFault| match fault.line {
            Some(line) => format!("{path}:{line}: {}", fault.what),
            None => format!("{path}: {}", fault.what),
        };
        self.faults.iter().map(line).collect()
    }
}

/// Reads one definition.
pub fn read(path: &Path) -> Result<Definition, Unusable> {
    // What it names is beside the file itself, wherever a link to it may be.
    let real =
        fs::canonicalize(path).map_err(|cause| Unusable::because(path, cause.to_string()))?;
    let text = read_text(&real, MOST_BYTES).map_err(|why| Unusable::because(path, why))?;
    Definition::read(&text, &real)
        .map_err(|DefinitionFaults(faults)| Unusable { path: path.to_owned(), faults })
}

/// Reads every `*.toml` of a folder, in order. A folder that is not there has none.
pub fn read_folder(folder: &Path) -> Result<Vec<Result<Definition, Unusable>>, Unusable> {
    let unusable = |cause: std::io::Error| Unusable::because(folder, cause.to_string());
    let entries = match fs::read_dir(folder) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unusable)?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(unusable)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    paths.truncate(MOST_FILES);
    Ok(paths.iter().map(|path| read(path)).collect())
}
