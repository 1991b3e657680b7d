//! A repository as a policy lets it be seen.
//!
//! Everything that reads goes through here, and nothing of a hidden path comes out: not its text, its
//! symbols or its name. Nobody else in the pipeline holds a [`Repository`].

use std::path::Path;

use consign_code::{
    BlameLine, Call, Cancel, Commit, Error, FileScore, Found, Hit, Kind, Limits, LogQuery, Node,
    Query, Reference, Repository, Symbol, Term, Text, Tree,
};

use super::{Broken, Evidence, Policy};

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
        let real = root.join(path).canonicalize().ok();
        let inside = real.as_deref().and_then(|real| real.strip_prefix(root).ok());
        match inside.and_then(Path::to_str) {
            Some(real) if self.policy.hides(real).is_some() => Seen::Hidden,
            Some(_) | None => Seen::Open,
        }
    }

    fn shows(&self, path: &str) -> bool {
        !self.policy.hides_something() || self.policy.hides(path).is_none()
    }

    /// The rule that hides a path, as an answer.
    fn may_see(&self, path: &str) -> Result<(), Broken> {
        match self.seen(path) {
            Seen::Open => Ok(()),
            // Which of the patterns it was would say something about what is there.
            Seen::Hidden => Err(Broken::Denied("deny_paths".to_owned())),
        }
    }

    fn keep<T>(&self, mut found: Found<T>, path: impl Fn(&T) -> &str) -> Found<T> {
        if self.policy.hides_something() {
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

    pub(crate) fn find_references(
        &self,
        name: &str,
        limit: usize,
    ) -> Result<Found<Reference>, Broken> {
        let uses = self.repository.find_references(name, limit)?;
        Ok(self.keep(uses.found, |reference| &reference.path))
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

    pub(crate) fn git_log(
        &self,
        path: Option<&str>,
        limit: usize,
        grep: Option<&str>,
    ) -> Result<Found<Commit>, Broken> {
        if let Some(path) = path {
            self.may_see(path)?;
        }
        let mut found = self.repository.git_log(&LogQuery {
            path: path.map(str::to_owned),
            grep: grep.map(str::to_owned),
            limit,
            ..LogQuery::default()
        })?;
        if self.policy.hides_something() {
            for commit in &mut found.items {
                commit.subject = self.without_hidden(&commit.subject);
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
        let word = |word: &str| {
            let bare = word.trim_matches(|c: char| !(c.is_alphanumeric() || "._-/*".contains(c)));
            if !bare.is_empty() && self.policy.hides(bare).is_some() { "…" } else { word }
                .to_owned()
        };
        subject.split(' ').map(word).collect::<Vec<_>>().join(" ")
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
