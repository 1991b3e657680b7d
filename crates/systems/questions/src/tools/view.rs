//! A repository as a policy lets it be seen.
//!
//! Everything that reads goes through here, and nothing of a hidden path comes out: not its text, its
//! symbols or its name. The policy is given to the [`Repository`], for which what is hidden is not there,
//! so that no count or rank reveals it either. No other module opens a [`Repository`].

use std::{path::Path, sync::Arc};

use consign_code::{
    BlameLine, Call, Cancel, Census, Commit, Error, FileScore, Files, Found, Heir, Hit, Kind,
    Language, Limits, LogQuery, Query, Repository, Symbol, Term, Test, Text, Tree, Uses,
};

use super::{Broken, Evidence, Policy, Rule, policy::Patterns};

/// A repository and the policy that it is seen under.
pub struct View {
    repository: Repository,
    policy: Policy,
}

/// Lines longer than this are cut in evidence.
const MOST_CONTENT: usize = 600;

impl View {
    pub fn open(root: &Path, policy: Policy, cancel: Cancel) -> Result<Self, Error> {
        let patterns = Patterns::of(&policy);
        let hides = move |path: &str| keeps_secrets(path) || patterns.hide(path);
        let repository = Repository::open_with(root, Limits::default(), cancel)?;
        Ok(Self { repository: repository.hiding(Arc::new(hides)), policy })
    }

    /// Whether a tool may be used without a person's confirmation. Only then may an agent use it on
    /// its own.
    pub(crate) fn is_free(&self, tool: &str) -> bool {
        self.policy.rule(tool) == Rule::Allow
    }

    /// Turns the error of a hidden path into a denial with its rule.
    fn told<T>(&self, result: Result<T, Error>) -> Result<T, Broken> {
        result.map_err(|error| {
            let Error::Hidden { path } = error else { return error.into() };
            let secret = keeps_secrets(&path) || !self.policy.hides_something();
            // Which of the patterns it was would say something about what is there.
            Broken::Denied(if secret { "secrets" } else { "deny_paths" }.to_owned())
        })
    }

    pub(crate) fn search(&self, query: &Query) -> Result<Found<Hit>, Broken> {
        self.told(self.repository.search(query))
    }

    pub(crate) fn survey(&self, terms: &[Term], limit: usize) -> Result<Found<FileScore>, Broken> {
        self.told(self.repository.survey(terms, limit))
    }

    pub(crate) fn find_symbol(
        &self,
        name: &str,
        kind: Option<Kind>,
    ) -> Result<Found<Symbol>, Broken> {
        self.told(self.repository.find_symbol(name, kind))
    }

    pub(crate) fn find_references(&self, name: &str, limit: usize) -> Result<Uses, Broken> {
        self.told(self.repository.find_references(name, limit))
    }

    pub(crate) fn definitions(
        &self,
        path: &str,
        kinds: &[Kind],
        language: Option<Language>,
        fits: &(dyn Fn(&str, Option<&str>) -> bool + Sync),
    ) -> Result<Found<Symbol>, Broken> {
        self.told(self.repository.definitions_that(path, kinds, language, fits))
    }

    pub(crate) fn heirs(&self, name: &str) -> Result<Found<Heir>, Broken> {
        self.told(self.repository.heirs(name))
    }

    pub(crate) fn tests(
        &self,
        path: &str,
        fits: &(dyn Fn(&str, &str) -> bool + Sync),
    ) -> Result<Found<Test>, Broken> {
        self.told(self.repository.tests(path, fits))
    }

    pub(crate) fn census(&self, path: &str) -> Result<Census, Broken> {
        self.told(self.repository.census(path))
    }

    pub(crate) fn files(&self) -> Result<Files, Broken> {
        self.told(self.repository.files())
    }

    /// The results of `each` for these files; `None` for those that are not text or too large.
    pub(crate) fn read_each<T: Send>(
        &self,
        paths: &[&str],
        limit: u64,
        each: impl Fn(&str, &[u8]) -> T + Sync,
    ) -> Result<Vec<Option<T>>, Broken> {
        self.told(self.repository.read_each(paths, limit, each))
    }

    pub(crate) fn outline(&self, path: &str) -> Result<Found<Symbol>, Broken> {
        self.told(self.repository.outline(path))
    }

    pub(crate) fn calls_in(&self, symbol: &Symbol) -> Result<Vec<Call>, Broken> {
        self.told(self.repository.calls_in(symbol))
    }

    pub(crate) fn read_file(&self, path: &str, from: usize, to: usize) -> Result<Text, Broken> {
        self.told(self.repository.read_file(path, from, to))
    }

    pub(crate) fn list_tree(&self, path: &str, depth: usize, limit: usize) -> Result<Tree, Broken> {
        self.told(self.repository.list_tree(path, depth, limit))
    }

    /// Whether there is a history that may be read.
    pub(crate) fn has_history(&self) -> bool {
        self.is_free("git_log") && self.repository.has_history()
    }

    pub(crate) fn git_log(&self, query: &LogQuery) -> Result<Found<Commit>, Broken> {
        self.told(self.repository.git_log(query))
    }

    pub(crate) fn git_blame(
        &self,
        path: &str,
        from: usize,
        to: usize,
    ) -> Result<Vec<BlameLine>, Broken> {
        self.told(self.repository.git_blame(path, from, to))
    }

    /// Fills in the text at a piece of evidence: `lines` lines from its first on. Returns false if
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
            content
                .push_str(crate::words::clip(line, MOST_CONTENT - content.len().min(MOST_CONTENT)));
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

    /// Whether a text is at a line: each of its lines in that line or one that follows.
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

/// Whether a file holds secrets that must never be shown, whatever the policy says. Examples hold
/// none.
fn keeps_secrets(path: &str) -> bool {
    path.split(['/', '\\']).any(|name| {
        let name = name.to_lowercase();
        let example =
            ["example", "sample", "template", "dist"].iter().any(|end| name.ends_with(end));
        (name == ".env" || name.starts_with(".env.")) && !example
    })
}

#[cfg(test)]
mod tests;
