//! What a repository says, each with its source.
//!
//! [`Facts::of`] scans the files of a snapshot once. Scans are by line and by pattern: they need no compiler, and
//! what they do not recognise is left out rather than guessed. The [`Index`] of words and paths is what the
//! checker looks references up in.

mod api;
mod commands;
mod endpoints;
mod environment;
mod gaps;
mod history;
mod index;
mod layout;
mod lines;
mod manifests;
mod options;

use std::{collections::BTreeSet, fmt};

pub use self::{
    api::Item,
    commands::{Command, Program},
    endpoints::Endpoint,
    gaps::Gaps,
    history::Change,
    index::Index,
    layout::Directory,
    manifests::{Ecosystem, Package},
};
pub(crate) use self::{
    api::is_inner,
    commands::{is_major, just_recipes, make_targets},
    layout::{is_document, is_lock, is_program, is_prose, is_test, name_of},
};
use super::Snapshot;

/// A place in the repository: `path:line`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    pub path: String,
    pub line: usize,
}

impl Source {
    pub(crate) fn new(path: &str, line: usize) -> Self {
        Self { path: path.to_owned(), line }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path, self.line)
    }
}

impl serde::Serialize for Source {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A name that the repository defines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Named {
    pub name: String,
    pub source: Source,
}

/// What is known of a repository.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Facts {
    /// The main package's name, else the repository's.
    pub name: String,
    /// Languages with their number of files, most first.
    pub languages: Vec<(String, usize)>,
    /// By manifest; the one nearest to the root is first.
    pub packages: Vec<Package>,
    /// Programs that the repository builds or installs.
    pub programs: Vec<Program>,
    /// Commands that work in the repository.
    pub commands: Vec<Command>,
    pub options: Vec<Named>,
    pub environment: Vec<Named>,
    pub api: Vec<Item>,
    pub endpoints: Vec<Endpoint>,
    pub tests: Vec<String>,
    pub configuration: Vec<String>,
    pub directories: Vec<Directory>,
    pub documents: Vec<String>,
    /// SPDX names, of manifests and of licence files.
    pub licences: BTreeSet<String>,
    pub licence_files: Vec<String>,
    /// Names of packages that it depends on.
    pub dependencies: BTreeSet<String>,
    /// Newest first.
    pub changes: Vec<Change>,
    /// What is not known of it.
    pub gaps: Gaps,
    #[serde(skip)]
    pub index: Index,
}

impl Facts {
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let read = manifests::read(snapshot);
        let programs = commands::programs(snapshot, &read.packages);
        let mut licences = read.licences;
        let licence_files = layout::licence_files(snapshot);
        for path in &licence_files {
            licences.extend(layout::licence_of(snapshot.text(path).unwrap_or(""), path));
        }
        let main = read.packages.first().map(|package| package.name.clone());
        Self {
            name: main.filter(|name| !name.is_empty()).unwrap_or_else(|| snapshot.name.clone()),
            languages: layout::languages(snapshot),
            commands: commands::commands(snapshot, &read.packages, &programs),
            options: options::find(snapshot),
            environment: environment::find(snapshot),
            api: api::find(snapshot),
            endpoints: endpoints::find(snapshot),
            tests: layout::tests(snapshot),
            configuration: layout::configuration(snapshot),
            directories: layout::directories(snapshot),
            documents: snapshot
                .paths()
                .filter(|path| layout::is_document(path))
                .map(str::to_owned)
                .collect(),
            changes: history::changes(&snapshot.commits),
            gaps: Gaps::of(snapshot),
            index: Index::of(snapshot),
            packages: read.packages,
            programs,
            licences,
            licence_files,
            dependencies: read.dependencies,
        }
    }

    /// The package nearest to the root.
    #[must_use]
    pub fn main_package(&self) -> Option<&Package> {
        self.packages.first()
    }

    /// Whether it runs as a program.
    #[must_use]
    pub fn has_programs(&self) -> bool {
        !self.programs.is_empty()
    }
}

/// All matches of a pattern's first group in the sources of programs, once each.
fn matches(
    snapshot: &Snapshot,
    patterns: &[&std::sync::LazyLock<regex::Regex>],
    keep: impl Fn(&str) -> bool,
) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    let mut seen = BTreeSet::new();
    for (path, file) in
        snapshot.files.iter().filter(|(path, _)| layout::is_program(path) && !layout::is_test(path))
    {
        for (number, line) in lines::of_code(path, &file.text) {
            for pattern in patterns {
                for name in pattern.captures_iter(line).filter_map(|found| {
                    found.iter().skip(1).flatten().next().map(|name| name.as_str().to_owned())
                }) {
                    if keep(&name) && seen.insert(name.clone()) {
                        found.push(Named { name, source: Source::new(path, number + 1) });
                    }
                }
            }
        }
    }
    found.sort();
    found
}

fn pattern(pattern: &str) -> regex::Regex {
    regex::Regex::new(pattern).expect("the pattern is a constant that a test compiles")
}
