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

mod build;
mod check;
mod contract;
mod file;
mod folder;
#[cfg(test)]
mod tests;
mod written;

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use consign_models::file::read_text;

pub use self::{
    build::Workshop,
    file::{Definition, McpServer, Reached},
    folder::Folder,
};

/// A definition is no larger than this.
const MOST_BYTES: u64 = 1 << 20;
/// A folder has no more of them than this.
const MOST_FILES: usize = 1000;

/// Why a definition cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct Unusable {
    pub path: PathBuf,
    pub why: String,
}

/// Reads one definition.
pub fn read(path: &Path) -> Result<Definition, Unusable> {
    let unusable = |why: String| Unusable { path: path.to_owned(), why };
    // What it names is beside the file itself, wherever a link to it may be.
    let path = fs::canonicalize(path).map_err(|cause| unusable(cause.to_string()))?;
    let text = read_text(&path, MOST_BYTES).map_err(unusable)?;
    Definition::read(&text, &path).map_err(unusable)
}

/// Reads every `*.toml` of a folder, in order. A folder that is not there has none.
pub fn read_folder(folder: &Path) -> Result<Vec<Result<Definition, Unusable>>, Unusable> {
    let unusable =
        |cause: std::io::Error| Unusable { path: folder.to_owned(), why: cause.to_string() };
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
