//! Looks up every reference of a document in the repository. It never invents, and it finds what was invented.
//!
//! [`check()`] reads a document, looks up its commands, options, paths, environment variables, names, endpoints,
//! versions, licences and links, parses its blocks of code, and compares its headings with its contract. What is
//! not found is an [`Issue`] with its line. Where files of the repository were not read, what is not found was not looked up
//! ([`Gaps`](crate::facts::Gaps)): it is no issue. What belongs to others (well-known commands, packages that the repository depends
//! on, names that the document defines itself, placeholders) is not looked up: a false alarm costs as much as a miss.

mod blocks;
mod calls;
mod commands;
mod critique;
mod endpoints;
mod environment;
mod known;
mod licence;
mod links;
mod names;
mod options;
mod past;
mod paths;
mod sections;
mod shell;
mod suggest;
mod version;

use std::collections::BTreeSet;

pub use self::critique::{Critique, Issue, IssueKind};
pub(crate) use self::{licence::licences_in, shell::is_shell};
use super::{Contract, Facts, Snapshot, markdown::Document};

/// Checks the document that is, or will be, at `path`.
#[must_use]
pub fn check(path: &str, text: &str, facts: &Facts, snapshot: &Snapshot) -> Critique {
    let document = Document::read(text);
    let mut checker = Checker {
        path,
        text,
        contract: Contract::of(path),
        local: calls::defined(&document),
        shown: calls::shown(&document),
        facts,
        snapshot,
        issues: BTreeSet::new(),
        unknown: BTreeSet::new(),
        checked: 0,
    };
    links::look_up(&mut checker, &document);
    blocks::parse(&mut checker, &document);
    licence::look_up(&mut checker, &document);
    version::look_up(&mut checker, &document);
    // A changelog speaks of the past, and so does a page of an earlier major version: what they name may be gone.
    if checker.contract != Contract::Changelog && !past::is_past(&checker) {
        commands::look_up(&mut checker, &document);
        options::look_up(&mut checker, &document);
        paths::look_up(&mut checker, &document);
        environment::look_up(&mut checker, &document);
        names::look_up(&mut checker, &document);
        calls::look_up(&mut checker, &document);
        endpoints::look_up(&mut checker, &document);
    }
    sections::look_up(&mut checker, &document);
    let mut suggestions = suggest::suggest(&checker, &document);
    if !checker.unknown.is_empty() {
        let (count, why) = (checker.unknown.len(), facts.gaps.told());
        suggestions.push(format!("{count} of its references could not be looked up: {why}"));
    }
    let required = checker.contract.sections().len();
    let missing = checker.contract.missing(&document).len();
    let Checker { issues, unknown, checked, .. } = checker;
    Critique::new(issues, unknown, suggestions, checked, required, required - missing)
}

/// What all lookups share.
struct Checker<'a> {
    path: &'a str,
    text: &'a str,
    contract: Contract,
    /// Names that the document defines in its own blocks, or takes from packages of others.
    local: BTreeSet<String>,
    /// All words of its blocks.
    shown: BTreeSet<String>,
    facts: &'a Facts,
    snapshot: &'a Snapshot,
    issues: BTreeSet<Issue>,
    /// What was not found, and may be in what was not read.
    unknown: BTreeSet<Issue>,
    checked: usize,
}

impl Checker<'_> {
    /// Counts a reference, and notes an issue unless it was found. What may be in a file that was not read is noted as
    /// not looked up, and not counted.
    fn note(
        &mut self,
        found: bool,
        kind: IssueKind,
        line: usize,
        reference: &str,
        fix: Option<String>,
    ) {
        if !found && self.facts.gaps.hide(kind, reference) {
            self.unknown.insert(Issue::unknown(kind, line, reference));
            return;
        }
        self.note_certain(found, kind, line, reference, fix);
    }

    /// Notes what follows from the document itself, or from files that were read.
    fn note_certain(
        &mut self,
        found: bool,
        kind: IssueKind,
        line: usize,
        reference: &str,
        fix: Option<String>,
    ) {
        self.checked += 1;
        if !found {
            self.issues.insert(Issue::new(kind, line, reference, fix));
        }
    }

    /// The folder of the document, with a `/` behind it.
    fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| &self.path[..=folder.len()])
    }

    /// Whether the code has this text somewhere.
    fn code_has(&self, text: &str) -> bool {
        let code = self.snapshot.files.iter().filter(|(path, _)| !super::facts::is_prose(path));
        code.into_iter().any(|(_, file)| file.text.contains(text))
    }

    /// Names by which code calls the repository's own packages.
    fn is_own(&self, name: &str) -> bool {
        let name = name.replace('-', "_").to_lowercase();
        self.facts.packages.iter().any(|package| {
            let own = package.name.to_lowercase();
            own.replace('-', "_") == name
                || own
                    .rsplit(['/', '.'])
                    .find(|part| !super::facts::is_major(part))
                    .is_some_and(|last| last.replace('-', "_") == name)
        })
    }
}

/// Whether a word stands for something that the reader fills in.
fn is_placeholder(word: &str) -> bool {
    let lower = word.to_lowercase();
    let marks = ['<', '>', '{', '}', '*', '…', '[', ']', '|', '%'];
    let parts = [
        "path/to",
        "example.",
        "your",
        "foo",
        "bar",
        "baz",
        "xxx",
        "placeholder",
        "my-",
        "my_",
        "some_",
        "some-",
        "...",
        "username",
        "/me/",
        "changeme",
        "qux",
    ];
    lower.contains(marks)
        || parts.iter().any(|part| lower.contains(part))
        || lower.starts_with("my")
}

fn pattern(pattern: &str) -> regex::Regex {
    regex::Regex::new(pattern).expect("the pattern is a constant that a test compiles")
}
