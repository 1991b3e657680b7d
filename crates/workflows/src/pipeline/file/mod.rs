//! Pipelines in files, TOML or JSON: read, held to their contract, and checked for what no contract can
//! say. Everything that is wrong is told at once, each with its line.

mod check;
mod json_lines;
mod mend;
mod near;
mod read;
mod source;

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

pub use source::{Lines, Source};

use super::pipeline::Pipeline;

/// A pipeline is no larger than this.
const MOST_BYTES: u64 = 4 << 20;

/// The pipeline of the document: perception, intent, plan, execution, critic, integration.
pub const DEFAULT: &str = include_str!("default.toml");

/// Something that is wrong with a pipeline's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Counted from 1.
    pub line: Option<usize>,
    pub what: String,
}

/// Why a pipeline cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.lines().join("\n"))]
pub struct Unusable {
    pub path: Option<PathBuf>,
    /// At least one, in the order of their lines.
    pub wrong: Vec<Wrong>,
}

impl Unusable {
    fn because(what: impl Into<String>) -> Self {
        Self { path: None, wrong: vec![Wrong { line: None, what: what.into() }] }
    }

    /// One line for each: `weekly.toml:12: what is wrong`.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let path = self.path.as_ref().map_or("pipeline".into(), |path| path.display().to_string());
        let line = |wrong: &Wrong| match wrong.line {
            Some(line) => format!("{path}:{line}: {}", wrong.what),
            None => format!("{path}: {}", wrong.what),
        };
        self.wrong.iter().map(line).collect()
    }
}

/// A pipeline as far as it can be read, and everything that is wrong with its file so far.
pub struct Draft {
    pub pipeline: Pipeline,
    pub wrong: Vec<Wrong>,
}

impl Draft {
    /// The pipeline, if nothing is wrong with it.
    pub fn whole(mut self) -> Result<Pipeline, Unusable> {
        if self.wrong.is_empty() {
            return Ok(self.pipeline);
        }
        self.wrong.sort_by_key(|wrong| wrong.line);
        Err(Unusable { path: None, wrong: self.wrong })
    }
}

/// Reads a pipeline from a file. Files that it names are beside it.
pub fn load(path: &Path) -> Result<Pipeline, Unusable> {
    draft(path)?.whole().map_err(|why| Unusable { path: Some(path.to_owned()), ..why })
}

/// Reads what there is of a pipeline in a file, for whoever has more to say of it.
pub fn draft(path: &Path) -> Result<Draft, Unusable> {
    let unusable = |unusable: Unusable| Unusable { path: Some(path.to_owned()), ..unusable };
    let text = text(path).map_err(|why| unusable(Unusable::because(why)))?;
    let json = path.extension().is_some_and(|extension| extension == "json");
    let source = if json { Source::json(&text) } else { Source::toml(&text) };
    source.and_then(|source| read::draft(&source)).map_err(unusable)
}

fn text(path: &Path) -> Result<String, String> {
    let file = File::open(path).map_err(|cause| format!("could not read it: {cause}"))?;
    let mut text = String::new();
    let read = file.take(MOST_BYTES + 1).read_to_string(&mut text);
    read.map_err(|cause| format!("could not read it: {cause}"))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(format!("it is larger than {MOST_BYTES} bytes"));
    }
    Ok(text)
}

/// Reads a pipeline, and checks it.
pub fn read(source: &Source) -> Result<Pipeline, Unusable> {
    read::draft(source)?.whole()
}

/// The pipeline of the document.
#[must_use]
pub fn default() -> Pipeline {
    let read = Source::toml(DEFAULT).and_then(|source| read(&source));
    read.expect("our own pipeline is right: a test reads it")
}
