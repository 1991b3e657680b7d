//! Pipelines in files, TOML or JSON: read, held to their contract, and checked for what no contract can
//! say. Everything that is wrong is told at once, each with its line.
//!
//! A run keeps the pipeline that it began with, and [`restore`]s it: that is held to what journeys rely on,
//! and not to the later checks for what has no effect (`unreachable`). In a file, a stage that does not say
//! where it leads, leads to the next; the pipeline that a run keeps always says it.

mod check;
mod json_lines;
mod mend;
mod places;
mod read;
mod retry;
mod source;
mod unreachable;

use std::{
    collections::BTreeSet,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

pub use source::{Lines, Source};

use consign_contracts::json::Json;

use self::read::Rules;
use super::{pipeline::Pipeline, shortest::Shortest};

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
    /// In the order of their lines, and none twice.
    fn of(mut wrong: Vec<Wrong>) -> Self {
        wrong.sort_by_key(|wrong| wrong.line);
        let mut told: Vec<Wrong> = Vec::with_capacity(wrong.len());
        for one in wrong {
            if !told.contains(&one) {
                told.push(one);
            }
        }
        Self { path: None, wrong: told }
    }

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
    /// What may be meant so, and is probably not.
    pub doubtful: Vec<Wrong>,
    /// The stages whose agents of the user's own ask a model.
    pub thinkers: BTreeSet<String>,
    lines: Lines,
    /// Whether its ways are what its file says.
    clear: bool,
    /// Its bounds that are not.
    unclear: BTreeSet<String>,
}

impl Draft {
    /// A pipeline that nothing is wrong with.
    #[must_use]
    pub fn of(pipeline: Pipeline) -> Self {
        let (wrong, doubtful) = (Vec::new(), Vec::new());
        let (thinkers, unclear) = (BTreeSet::new(), BTreeSet::new());
        Self { pipeline, wrong, doubtful, thinkers, lines: Lines::default(), clear: true, unclear }
    }

    /// The pipeline, if nothing is wrong with it.
    pub fn whole(mut self) -> Result<Pipeline, Unusable> {
        self.bounds();
        if self.wrong.is_empty() {
            return Ok(self.pipeline);
        }
        Err(Unusable::of(self.wrong))
    }

    /// A bound below the shortest way would stop every journey.
    fn bounds(&mut self) {
        let shortest = Shortest::of(&self.pipeline, &self.thinkers);
        let Some(Shortest { hops, llm_calls }) = shortest.filter(|_| self.clear) else { return };
        let bounds = &self.pipeline.bounds;
        for (name, most, least, what) in [
            ("max_agent_hops", bounds.agent_hops, hops, "hops"),
            ("max_llm_calls", bounds.llm_calls, llm_calls, "model calls"),
        ] {
            let enough = i64::try_from(least).is_ok_and(|least| least <= most);
            if enough || self.unclear.contains(name) {
                continue;
            }
            let set = self.pipeline.written.get(name).is_some();
            let unset = if set { "" } else { " where nothing is set" };
            let line = self.lines.of(&if set { format!("/{name}") } else { "/name".to_owned() });
            let what = format!(
                "the shortest way to the end has {least} {what}, and {name} is {most}{unset}: no new \
                 envelope would get there. Set {name} to {least} or more"
            );
            self.wrong.push(Wrong { line, what });
        }
    }
}

/// Reads a pipeline from a file. Files that it names are beside it.
pub fn load(path: &Path) -> Result<Pipeline, Unusable> {
    draft(path)?.whole().map_err(|why| Unusable { path: Some(path.to_owned()), ..why })
}

/// Reads a pipeline from a file together with its faults, for callers that add faults of their own.
pub fn draft(path: &Path) -> Result<Draft, Unusable> {
    let unusable = |unusable: Unusable| Unusable { path: Some(path.to_owned()), ..unusable };
    let text = text(path).map_err(|why| unusable(Unusable::because(why)))?;
    let json = path.extension().is_some_and(|extension| extension == "json");
    let source = if json { Source::json(&text) } else { Source::toml(&text) };
    source.and_then(|source| read::draft(&source, Rules::All)).map_err(unusable)
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
    read::draft(source, Rules::All)?.whole()
}

/// Reads a pipeline that a run began with, by the rules that journeys rely on: a run must not end because
/// we have become more particular.
pub fn restore(tree: Json<'static>) -> Result<Pipeline, Unusable> {
    let draft = read::draft(&Source::tree(tree), Rules::Needed)?;
    if draft.wrong.is_empty() { Ok(draft.pipeline) } else { Err(Unusable::of(draft.wrong)) }
}

/// The pipeline of the document.
#[must_use]
pub fn default() -> Pipeline {
    let read = Source::toml(DEFAULT).and_then(|source| read(&source));
    read.expect("our own pipeline is right: a test reads it")
}
