//! A repository as a policy lets it be seen.
//!
//! Everything that reads goes through here, and nothing of a hidden path comes out: not its text, its
//! symbols or its name. Nobody else in the pipeline holds a [`Repository`].

use std::{io::ErrorKind, path::Path};

use consign_code::{
    BlameLine, Call, Cancel, Census, Commit, Error, FileScore, Found, Hit, Kind, Limits, LogQuery,
    Node, Query, Repository, Symbol, Term, Text, Tree, Uses,
};

use super::{Broken, Evidence, Policy, Rule};

/// A repository and the policy that it is seen under.
pub struct View {
    repository: Repository,
    policy: Policy,
}

/// What a tool may learn of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    Open,
    Hidden,
}

/// Lines longer than this are cut in evidence.
const MOST_CONTENT: usize = 600;

impl View {
    pub fn open(root: &Path, policy: Policy, cancel: Cancel) -> Result<Self, Error> {
        Ok(Self { repository: Repository::open_with(root, Limits::default(), cancel)?, policy })
    }

    /// Whether a tool may be used without anybody being asked: only then may an agent look as with it.
    pub(crate) fn is_free(&self, tool: &str) -> bool {
        self.policy.rule(tool) == Rule::Allow
    }

    /// Whether a path may be looked at. A link inside of the repository is as hidden as what it
    /// leads to.
    #[must_use]
    pub fn seen(&self, path: &str) -> Seen {
        if !self.policy.hides_something() {
            return Seen::Open;
        }
        if self.policy.hides(&plain(path)).is_some() {
            return Seen::Hidden;
        }
        let root = self.repository.root();
        let real = match root.join(path).canonicalize() {
            Ok(real) => real,
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Seen::Open,
            // Where it leads cannot be told, so nobody is led there.
            Err(_) => return Seen::Hidden,
        };
        match real.strip_prefix(root) {
            Ok(real) => match real.to_str() {
                Some(real) if self.policy.hides(real).is_none() => Seen::Open,
                Some(_) | None => Seen::Hidden,
            },
            // Out of the repository: refused by whoever opens it.
            Err(_) => Seen::Open,
        }
    }

    /// Nor is a name shown that would break the line that it stands in.
    fn shows(&self, path: &str) -> bool {
        !path.contains(char::is_control)
            && (!self.policy.hides_something() || self.policy.hides(path).is_none())
    }

    /// The rule that hides a path, as an answer.
    fn may_see(&self, path: &str) -> Result<(), Broken> {
        if keeps_secrets(path) {
            return Err(Broken::Denied("secrets".to_owned()));
        }
        match self.seen(path) {
            Seen::Open => Ok(()),
            // Which of the patterns it was would say something about what is there.
            Seen::Hidden => Err(Broken::Denied("deny_paths".to_owned())),
        }
    }

    fn keep<T>(&self, mut found: Found<T>, path: impl Fn(&T) -> &str) -> Found<T> {
        if !self.policy.hides_something() {
            found.items.retain(|item| self.shows(path(item)));
        } else {
            let before = found.items.len();
            found.items.retain(|item| self.shows(path(item)));
            // What is hidden is not counted either.
            if found.items.len() < before {
                found.total = found.items.len();
            }
            found.note = None;
        }
        found
    }

    pub(crate) fn search(&self, query: &Query) -> Result<Found<Hit>, Broken> {
        Ok(self.keep(self.repository.search(query)?, |hit| &hit.path))
    }

    pub(crate) fn survey(&self, terms: &[Term], limit: usize) -> Result<Found<FileScore>, Broken> {
        Ok(self.keep(self.repository.survey(terms, limit)?, |file| &file.path))
    }

    pub(crate) fn find_symbol(
        &self,
        name: &str,
        kind: Option<Kind>,
    ) -> Result<Found<Symbol>, Broken> {
        Ok(self.keep(self.repository.find_symbol(name, kind)?, |symbol| &symbol.path))
    }

    pub(crate) fn find_references(&self, name: &str, limit: usize) -> Result<Uses, Broken> {
        let mut uses = self.repository.find_references(name, limit)?;
        uses.found = self.keep(uses.found, |reference| &reference.path);
        Ok(uses)
    }

    pub(crate) fn definitions(
        &self,
        path: &str,
        kinds: &[Kind],
        fits: &(dyn Fn(&str, Option<&str>) -> bool + Sync),
    ) -> Result<Found<Symbol>, Broken> {
        self.may_see(path)?;
        let found = self.repository.definitions_that(path, kinds, fits)?;
        Ok(self.keep(found, |symbol| &symbol.path))
    }

    pub(crate) fn census(&self, path: &str) -> Result<Census, Broken> {
        self.may_see(path)?;
        Ok(self.repository.census(path)?)
    }

    pub(crate) fn outline(&self, path: &str) -> Result<Found<Symbol>, Broken> {
        self.may_see(path)?;
        Ok(self.repository.outline(path)?)
    }

    pub(crate) fn calls_in(&self, symbol: &Symbol) -> Result<Vec<Call>, Broken> {
        self.may_see(&symbol.path)?;
        Ok(self.repository.calls_in(symbol)?)
    }

    pub(crate) fn read_file(&self, path: &str, from: usize, to: usize) -> Result<Text, Broken> {
        self.may_see(path)?;
        Ok(self.repository.read_file(path, from, to)?)
    }

    pub(crate) fn list_tree(&self, path: &str, depth: usize, limit: usize) -> Result<Tree, Broken> {
        self.may_see(path)?;
        let mut tree = self.repository.list_tree(path, depth, limit)?;
        tree.nodes.retain(|node| match node {
            Node::Directory { path, .. } | Node::File { path, .. } => self.shows(path),
        });
        Ok(tree)
    }

    /// Whether there is a history that may be read.
    pub(crate) fn has_history(&self) -> bool {
        self.is_free("git_log") && self.repository.has_history()
    }

    pub(crate) fn git_log(&self, query: &LogQuery) -> Result<Found<Commit>, Broken> {
        if let Some(path) = &query.path {
            self.may_see(path)?;
        }
        let mut found = self.repository.git_log(query)?;
        if self.policy.hides_something() {
            for commit in &mut found.items {
                commit.subject = self.without_hidden(&commit.subject);
            }
            // Nobody finds out word by word what was hidden.
            if let Some(grep) = query.grep.as_ref().map(|grep| grep.to_lowercase()) {
                found.items.retain(|commit| commit.subject.to_lowercase().contains(&grep));
            }
        }
        Ok(found)
    }

    pub(crate) fn git_blame(
        &self,
        path: &str,
        from: usize,
        to: usize,
    ) -> Result<Vec<BlameLine>, Broken> {
        self.may_see(path)?;
        let mut lines = self.repository.git_blame(path, from, to)?;
        if self.policy.hides_something() {
            for origin in lines.iter_mut().filter_map(|line| line.origin.as_mut()) {
                origin.subject = self.without_hidden(&origin.subject);
            }
        }
        Ok(lines)
    }

    /// People name files in what they write about a change.
    fn without_hidden(&self, subject: &str) -> String {
        let named = |letter: char| letter.is_alphanumeric() || "._-/*@+~".contains(letter);
        let mut clean = String::with_capacity(subject.len());
        let mut rest = subject;
        while let Some(first) = rest.chars().next() {
            let is_name = named(first);
            let end = rest.find(|letter| named(letter) != is_name).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            // `see:private/a` and `x/private/a` name it, too.
            let hidden = is_name
                && word
                    .char_indices()
                    .any(|(at, _)| self.policy.hides(word[at..].trim_matches('.')).is_some());
            clean.push_str(if hidden { "…" } else { word });
            rest = after;
        }
        clean
    }

    /// Fills in the text that stands at a piece of evidence: so many lines from its first on. False if
    /// nothing can be read there.
    pub(crate) fn quote(&self, evidence: &mut Evidence, lines: usize) -> bool {
        let last = evidence.line.saturating_add(lines.max(1) - 1);
        let Ok(text) = self.read_file(&evidence.path, evidence.line, last) else { return false };
        if text.from != evidence.line || text.lines.is_empty() {
            return false;
        }
        let mut content = String::new();
        for line in &text.lines {
            if !content.is_empty() && content.len() + 1 + line.len() > MOST_CONTENT {
                break;
            }
            if !content.is_empty() {
                content.push('\n');
            }
            content.push_str(super::super::agents::clip(
                line,
                MOST_CONTENT - content.len().min(MOST_CONTENT),
            ));
        }
        evidence.content = content;
        true
    }

    /// Moves evidence about a whole file to the first line that says something.
    pub(crate) fn skip_blank(&self, evidence: &mut Evidence) {
        let Ok(text) =
            self.read_file(&evidence.path, evidence.line, evidence.line.saturating_add(40))
        else {
            return;
        };
        if let Some(at) = text.lines.iter().position(|line| !line.trim().is_empty()) {
            evidence.line += at;
            evidence.end_line = evidence.end_line.max(evidence.line);
        }
    }

    /// Whether a text stands at a line: each of its lines in that line or one that follows.
    pub(crate) fn stands(&self, path: &str, line: usize, text: &str) -> bool {
        let wanted: Vec<&str> = text.lines().map(str::trim).collect();
        if wanted.is_empty() || wanted.iter().all(|line| line.is_empty()) {
            return false;
        }
        let Ok(found) = self.read_file(path, line, line.saturating_add(wanted.len() - 1)) else {
            return false;
        };
        found.from == line
            && found.lines.len() == wanted.len()
            && found.lines.iter().zip(&wanted).all(|(line, wanted)| line.contains(wanted))
    }
}

/// Files that hold what nobody should read out, whatever the policy says of them. Examples hold none.
fn keeps_secrets(path: &str) -> bool {
    path.split(['/', '\\']).any(|name| {
        let name = name.to_lowercase();
        let example =
            ["example", "sample", "template", "dist"].iter().any(|end| name.ends_with(end));
        (name == ".env" || name.starts_with(".env.")) && !example
    })
}

/// A path without detours, as patterns are written.
fn plain(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split(['/', '\\']) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    names.join("/")
}
