//! Which commits there were.

use std::collections::VecDeque;

use git2::{Commit as Object, DiffOptions, Oid, Repository as Git};

use super::{Commit, History, author, commits::Commits, date, fault, subject};
use crate::{Error, Found, Repository, root};

/// Which commits are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogQuery {
    /// Only those that changed this file or directory. A merge did only if it differs from all of its
    /// parents there.
    pub path: Option<String>,
    /// Only those with this in their message, in whatever case.
    pub grep: Option<String>,
    /// Only those with this in the author's name or address, in whatever case.
    pub author: Option<String>,
    /// The oldest first: of a path, who added it.
    pub oldest_first: bool,
    pub limit: usize,
}

impl Default for LogQuery {
    fn default() -> Self {
        Self { path: None, grep: None, author: None, oldest_first: false, limit: 20 }
    }
}

impl Repository {
    /// Commits from `HEAD` on, the newest first unless asked otherwise. If the root is a folder of a
    /// larger repository, those that changed something in it. Renames are not followed. If not all of
    /// the history was looked at, `note` says so: then the oldest that were found may not be the oldest.
    ///
    /// # Errors
    /// [`Error::NoHistory`] if there is none that may be read, and why.
    pub fn git_log(&self, query: &LogQuery) -> Result<Found<Commit>, Error> {
        let path = root::clean(query.path.as_deref().unwrap_or(""))?;
        self.root.admit(&path)?;
        let history = self.history()?;
        let path = history.path(&path);
        let mut found = Found::default();
        let Some(head) = head(&history.git).map_err(fault("find the newest commit"))? else {
            return Ok(found);
        };
        let limit = query.limit.min(self.limits.results);
        let wanted = Wanted::new(query, &path);
        let mut kept = VecDeque::new();
        let mut commits = Commits::behind(&history.git, head);
        let mut seen = 0;
        loop {
            self.cancel.check()?;
            let full = !query.oldest_first && kept.len() >= limit;
            let Some(commit) = commits.next() else { break };
            if full {
                found.truncated = true;
                break;
            }
            if seen >= self.limits.commits || self.cancel.is_late() {
                found.note = Some(format!("only the newest {seen} commits were looked at"));
                break;
            }
            seen += 1;
            if wanted.has(&commit, || self.message(&commit)) {
                found.total += 1;
                kept.push_back(commit);
                // Nothing that is older than the oldest is to come.
                if kept.len() > limit {
                    kept.pop_front();
                }
            }
        }
        if commits.is_cut && !found.truncated && found.note.is_none() {
            found.note = Some("the history is not complete: it was cloned in part".to_owned());
        }
        if query.oldest_first {
            kept.make_contiguous().reverse();
        }
        for commit in kept {
            self.cancel.check()?;
            let message = self.message(&commit);
            let told = describe(&history, &commit, &message);
            found.items.push(told.map_err(fault("compare a commit"))?);
        }
        found.truncated |= found.note.is_some();
        found.cut(limit);
        Ok(found)
    }
}

/// A query, ready to be asked of commits.
struct Wanted<'a> {
    path: &'a str,
    grep: Option<String>,
    author: Option<String>,
}

impl<'a> Wanted<'a> {
    fn new(query: &LogQuery, path: &'a str) -> Self {
        let lower = |text: &Option<String>| text.as_deref().map(str::to_lowercase);
        Self { path, grep: lower(&query.grep), author: lower(&query.author) }
    }

    fn has(&self, commit: &Object<'_>, message: impl FnOnce() -> String) -> bool {
        let says = |text: &str, needle: &String| text.to_lowercase().contains(needle.as_str());
        let wrote = |needle: &String| {
            let author = commit.author();
            says(&String::from_utf8_lossy(author.name_bytes()), needle)
                || says(&String::from_utf8_lossy(author.email_bytes()), needle)
        };
        self.grep.as_ref().is_none_or(|needle| says(&message(), needle))
            && self.author.as_ref().is_none_or(wrote)
            && (self.path.is_empty() || touches(commit, self.path))
    }
}

fn describe(history: &History, commit: &Object<'_>, message: &str) -> Result<Commit, git2::Error> {
    Ok(Commit {
        id: commit.id().to_string(),
        author: author(commit),
        date: date(commit),
        subject: subject(message),
        files_changed: changed(history, commit)?,
    })
}

/// The commit that is checked out; none before the first.
pub(super) fn head(git: &Git) -> Result<Option<Object<'_>>, git2::Error> {
    match git.head() {
        Ok(head) => head.peel_to_commit().map(Some),
        Err(error) if error.code() == git2::ErrorCode::UnbornBranch => Ok(None),
        Err(error) => Err(error),
    }
}

fn touches(commit: &Object<'_>, path: &str) -> bool {
    let here = at(commit, path);
    let mut parents = commit.parents().peekable();
    if parents.peek().is_none() {
        return here.is_some();
    }
    parents.all(|parent| at(&parent, path) != here)
}

/// What a commit has at a path.
pub(super) fn at(commit: &Object<'_>, path: &str) -> Option<Oid> {
    let tree = commit.tree().ok()?;
    tree.get_path(std::path::Path::new(path)).ok().map(|entry| entry.id())
}

fn changed(history: &History, commit: &Object<'_>) -> Result<usize, git2::Error> {
    let before = commit.parents().next().map(|parent| parent.tree()).transpose()?;
    let mut options = DiffOptions::new();
    // Names are enough: nothing needs to be unpacked.
    options.skip_binary_check(true).ignore_submodules(true);
    // What changed elsewhere is nobody's business here.
    if !history.prefix.is_empty() {
        options.pathspec(&history.prefix).disable_pathspec_match(true);
    }
    let tree = commit.tree()?;
    let diff = history.git.diff_tree_to_tree(before.as_ref(), Some(&tree), Some(&mut options))?;
    Ok(diff.deltas().len())
}
