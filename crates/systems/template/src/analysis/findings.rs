//! The findings about a project. They are kept in the state file, and `template analyze --json`
//! prints them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::Source;

/// In fewer places than this, something is not a convention yet.
const FEWEST: usize = 5;
/// The percentage of places that must agree.
const CLEAR: usize = 70;

/// Everything that phase 1 finds out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Analysis {
    pub primary_language: String,
    /// The framework that shapes the project, with its usual name, such as `.NET MAUI`.
    pub framework: Option<String>,
    /// The names of what `architecture` has.
    pub patterns: Vec<String>,
    /// How sure all of it is, from 0 to 1.
    pub confidence: f64,
    pub source: Source,
    /// By share of the source, the largest first.
    pub languages: Vec<LanguageShare>,
    /// The one that shapes the project first.
    pub frameworks: Vec<Framework>,
    pub architecture: Vec<Pattern>,
    pub layers: Vec<Layer>,
    /// The one that most tests use first.
    pub testing: Vec<Testing>,
    pub conventions: Conventions,
    pub key_files: Vec<KeyFile>,
    pub dependencies: Vec<Dependency>,
    pub commands: Commands,
    pub names: Names,
    /// Other remarks of a reviewer, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observations: Vec<String>,
    pub files: usize,
    pub lines: usize,
    /// A limit was reached: there is more than was read.
    pub truncated: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LanguageShare {
    pub name: String,
    pub files: usize,
    pub lines: usize,
    /// Of the lines of all source, from 0 to 1.
    pub share: f64,
}

/// Where something was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Relative to the project.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What was seen there.
    pub what: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Framework {
    pub name: String,
    /// The version as the manifest has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    pub confidence: f64,
    pub evidence: Vec<Evidence>,
}

/// A pattern of architecture, such as `Repository` or `MVVM`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    pub name: String,
    pub confidence: f64,
    pub evidence: Vec<Evidence>,
}

/// Files that do one kind of work, such as `controllers` or `domain`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    pub name: String,
    /// Relative to the project, with `/`.
    pub folders: Vec<String>,
    pub files: usize,
    /// Test files that belong to it.
    pub tests: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Testing {
    /// Its usual name, such as `xUnit`, `pytest`, `Jest`, `cargo test`.
    pub framework: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    pub files: usize,
    pub evidence: Vec<Evidence>,
}

/// How the project writes things.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conventions {
    /// `snake_case`, `camelCase`, `PascalCase`, `kebab-case`, by what they are used for: `files`,
    /// `types`, `functions`.
    pub naming: Vec<Count>,
    /// Such as `exceptions`, `Result`, `error values`, with how often.
    pub error_handling: Vec<Count>,
    /// `spaces-4`, `spaces-2`, `tabs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indentation: Option<String>,
}

impl Conventions {
    /// The naming conventions that new code has to follow.
    #[must_use]
    pub fn names(&self) -> Vec<&Count> {
        leading(&self.naming)
    }

    /// How failures are reported. An agent's statement comes before what was counted.
    #[must_use]
    pub fn failures(&self) -> Vec<&Count> {
        let leading = leading(&self.error_handling);
        let said: Vec<&Count> = leading.iter().copied().filter(|one| one.count == 0).collect();
        if said.is_empty() { leading } else { said }
    }
}

/// For each kind the value that clearly leads. A value from an agent's statement has no count, and
/// stands if it is the only one.
fn leading(counts: &[Count]) -> Vec<&Count> {
    let leads = |one: &&Count| {
        let all: usize = counts.iter().filter(|other| other.of == one.of).map(|o| o.count).sum();
        if one.count == 0 {
            all == 0
        } else {
            one.count >= FEWEST && one.count * 100 >= all * CLEAR
        }
    };
    let mut kinds = BTreeSet::new();
    counts.iter().filter(leads).filter(|one| kinds.insert(&one.of)).collect()
}

/// One observation, with how many places say so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    pub of: String,
    pub value: String,
    pub count: usize,
}

impl Count {
    /// Whether breaking it would be a mistake. A statement was not counted, and names of one word
    /// say nothing about those of two.
    #[must_use]
    pub fn is_rule(&self) -> bool {
        self.count > 0 && self.value != "lowercase"
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyFile {
    pub path: String,
    /// `manifest`, `entry point`, `configuration`, `routes`, `model`, `documentation`, …
    pub role: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// `runtime`, `development`, `build`.
    pub kind: String,
    /// The manifest that names it.
    pub manifest: String,
}

/// How people build, test and start it, as its manifests say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commands {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// The names of this one project, which a template must replace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// The name in its manifest, else that of its folder.
    pub project: String,
    /// Root namespaces, packages or modules, the most used first: `Acme.Shop`, `com.acme.shop`,
    /// `acme_shop`, `github.com/acme/shop`.
    pub namespaces: Vec<String>,
    /// What its records are about, singular and as types write it: `Order`, `Customer`. The most
    /// frequent first.
    pub entities: Vec<String>,
    /// Persons and companies that manifests name, without addresses.
    pub authors: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_convention_is_what_clearly_leads() {
        for (counts, leads) in [
            (&[("snake_case", 7), ("camelCase", 3)][..], Some("snake_case")),
            (&[("snake_case", 69), ("camelCase", 31)], None),
            (&[("snake_case", 4)], None),
            (&[("snake_case", 5)], Some("snake_case")),
            (&[("said", 0)], Some("said")),
            (&[("said", 0), ("snake_case", 9)], Some("snake_case")),
            (&[], None),
        ] {
            let count = |(value, count): &(&str, usize)| Count {
                of: "files".to_owned(),
                value: (*value).to_owned(),
                count: *count,
            };
            let naming: Vec<Count> = counts.iter().map(count).collect();
            let conventions = Conventions { naming, ..Conventions::default() };
            let found: Vec<&str> = conventions.names().iter().map(|one| &*one.value).collect();
            assert_eq!(found, leads.into_iter().collect::<Vec<_>>(), "{counts:?}");
        }
    }
}
