//! Lists commits.

use std::collections::VecDeque;

use git2::Commit as Object;

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
        let Some(head) = history.newest().map_err(fault("find the newest commit"))? else {
            return Ok(found);
        };
        let limit = query.limit.min(self.limits.results);
        let wanted = Wanted::new(query, &path);
        let mut kept = VecDeque::new();
        let mut commits = Commits::behind(&history, head);
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
            if wanted.has(&history, &commit, || self.message(&commit)) {
                found.total += 1;
                kept.push_back(commit);
                // Nothing that is older than the oldest is to come.
                if kept.len() > limit {
                    kept.pop_front();
                }
            }
        }
        if commits.is_cut && !found.truncated && found.note.is_none() {
            found.note = Some("the history is not complete: the clone is shallow".to_owned());
        }
        if query.oldest_first {
            kept.make_contiguous().reverse();
        }
        for commit in kept {
            self.cancel.check()?;
            let message = self.message(&commit);
            let (changed, all) = history.changed(&commit).map_err(fault("compare a commit"))?;
            if !all {
                let note = || "a commit changed more files than were counted".to_owned();
                found.note.get_or_insert_with(note);
            }
            found.items.push(describe(&commit, &message, changed));
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

    fn has(
        &self,
        history: &History,
        commit: &Object<'_>,
        message: impl FnOnce() -> String,
    ) -> bool {
        let says = |text: &str, needle: &String| text.to_lowercase().contains(needle.as_str());
        let wrote = |needle: &String| {
            let author = commit.author();
            says(&String::from_utf8_lossy(author.name_bytes()), needle)
                || says(&String::from_utf8_lossy(author.email_bytes()), needle)
        };
        self.grep.as_ref().is_none_or(|needle| says(&message(), needle))
            && self.author.as_ref().is_none_or(wrote)
            && (self.path.is_empty() || touches(history, commit, self.path))
    }
}

fn describe(commit: &Object<'_>, message: &str, files_changed: usize) -> Commit {
    Commit {
        id: commit.id().to_string(),
        author: author(commit),
        date: date(commit),
        subject: subject(message),
        files_changed,
    }
}

fn touches(history: &History, commit: &Object<'_>, path: &str) -> bool {
    let here = history.at(commit, path);
    if commit.parent_count() == 0 {
        return here.is_some();
    }
    commit.parent_ids().all(|parent| {
        // One that is not there had nothing.
        let there = history.commit(parent).ok().and_then(|parent| history.at(&parent, path));
        there != here
    })
}
