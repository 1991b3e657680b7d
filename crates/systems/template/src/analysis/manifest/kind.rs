//! A manifest in a form that is the same for every tool.

use std::collections::{BTreeMap, HashMap};

/// The most dependencies of one manifest.
const MOST: usize = 2_000;
/// The longest name or version.
const LONGEST: usize = 200;

/// The registry or tool that packages belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Ecosystem {
    Npm,
    Cargo,
    Go,
    Maven,
    Gradle,
    Composer,
    Gem,
    DotNet,
    Python,
}

impl Ecosystem {
    /// Whether packages of one can be named by the other: Maven and Gradle share a registry.
    pub(in super::super) fn shares_with(self, other: Self) -> bool {
        let java = [Self::Maven, Self::Gradle];
        self == other || java.contains(&self) && java.contains(&other)
    }
}

/// What a dependency is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Use {
    Runtime,
    Development,
    Build,
}

impl Use {
    pub(in super::super) const fn name(self) -> &'static str {
        match self {
            Self::Runtime => "runtime",
            Self::Development => "development",
            Self::Build => "build",
        }
    }
}

/// A dependency as a manifest names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Declared {
    pub(in super::super) name: String,
    pub(in super::super) version: Option<String>,
    pub(in super::super) used: Use,
    /// From 1.
    pub(in super::super) line: usize,
    /// Whether a build may leave it out.
    pub(in super::super) optional: bool,
}

#[derive(Clone, Debug)]
pub(in super::super) struct Manifest {
    pub(in super::super) path: String,
    pub(in super::super) ecosystem: Ecosystem,
    pub(in super::super) name: Option<String>,
    pub(in super::super) authors: Vec<String>,
    pub(in super::super) dependencies: Vec<Declared>,
    pub(in super::super) scripts: BTreeMap<String, String>,
    /// Facts of one tool, under the names that its reader documents.
    pub(in super::super) facts: BTreeMap<&'static str, String>,
    /// It names other manifests as its members.
    pub(in super::super) workspace: bool,
}

impl Manifest {
    pub(super) fn new(path: &str, ecosystem: Ecosystem) -> Self {
        Self {
            path: path.to_owned(),
            ecosystem,
            name: None,
            authors: Vec::new(),
            dependencies: Vec::new(),
            scripts: BTreeMap::new(),
            facts: BTreeMap::new(),
            workspace: false,
        }
    }

    /// The folder that it speaks for; the root is empty.
    pub(in super::super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    pub(in super::super) fn depth(&self) -> usize {
        self.path.matches('/').count()
    }

    pub(in super::super) fn fact(&self, name: &str) -> Option<&str> {
        self.facts.get(name).map(String::as_str)
    }

    pub(in super::super) fn dependency(&self, name: &str) -> Option<&Declared> {
        self.dependencies.iter().find(|declared| declared.name == name)
    }

    pub(super) fn depend(&mut self, name: &str, version: Option<&str>, used: Use, line: usize) {
        let name = name.trim();
        if name.is_empty() || name.len() > LONGEST || self.dependencies.len() >= MOST {
            return;
        }
        let version = version.map(str::trim).filter(|version| !version.is_empty());
        let version = version.filter(|version| version.len() <= LONGEST).map(str::to_owned);
        let name = name.to_owned();
        self.dependencies.push(Declared { name, version, used, line, optional: false });
    }

    /// Adds a dependency that may be left out.
    pub(super) fn may_depend(&mut self, name: &str, version: Option<&str>, line: usize) {
        let before = self.dependencies.len();
        self.depend(name, version, Use::Runtime, line);
        self.dependencies.iter_mut().skip(before).for_each(|one| one.optional = true);
    }

    /// A person or a company, without an address.
    pub(super) fn author(&mut self, text: &str) {
        let name = text.split(['<', '(']).next().unwrap_or_default().trim();
        if !name.is_empty() && !name.contains('@') && name.len() <= LONGEST {
            self.authors.push(name.to_owned());
        }
    }

    pub(super) fn call(&mut self, name: &str) {
        let name = name.trim();
        if !name.is_empty() && name.len() <= LONGEST && self.name.is_none() {
            self.name = Some(name.to_owned());
        }
    }

    /// Cuts long names and lists, which would otherwise get into prompts.
    pub(super) fn bound(&mut self) {
        self.authors.truncate(20);
        self.scripts.retain(|name, script| name.len() + script.len() <= 4 * LONGEST);
        while self.scripts.len() > LONGEST {
            self.scripts.pop_last();
        }
        self.facts.retain(|_, fact| fact.len() <= 4 * LONGEST);
    }
}

/// The line on which something first stands, from 1; 1 if it is nowhere.
pub(super) fn line_of(text: &str, what: &str) -> usize {
    let before = text.find(what).and_then(|at| text.as_bytes().get(..at)).unwrap_or_default();
    before.iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// Where things first stand, learned in one look: a manifest may name a hundred thousand.
pub(super) struct Lines<'t>(HashMap<&'t str, usize>);

impl<'t> Lines<'t> {
    /// What stands in quotes.
    pub(super) fn of_quoted(text: &'t str) -> Self {
        Self::of(text, |line| quoted(line))
    }

    /// What lines begin with, up to a dot, a blank or an equals sign. Of a table such as
    /// `[dependencies.clap]` that is the last part.
    pub(super) fn of_keys(text: &'t str) -> Self {
        let key = |line: &'t str| line.split(['.', ' ', '=', '\t']).next().into_iter().collect();
        Self::of(text, |line| {
            let mut keys: Vec<&str> = match line.split_once("dependencies.") {
                Some((start, name)) if start.starts_with('[') => {
                    vec![name.split(']').next().unwrap_or(name)]
                }
                _ => key(line),
            };
            keys.iter_mut().for_each(|key| *key = key.trim_matches('"'));
            keys
        })
    }

    fn of(text: &'t str, words: impl Fn(&'t str) -> Vec<&'t str>) -> Self {
        let mut known = HashMap::new();
        for (at, line) in text.lines().enumerate() {
            for word in words(line) {
                known.entry(word).or_insert(at + 1);
            }
        }
        Self(known)
    }

    pub(super) fn line(&self, word: &str) -> usize {
        self.0.get(word).copied().unwrap_or(1)
    }
}

/// What stands in quotes, in its order.
pub(super) fn quoted(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        let Some(end) = rest.bytes().position(|byte| byte == quote) else { break };
        found.push(&rest[..end]);
        rest = &rest[end + 1..];
    }
    found
}
