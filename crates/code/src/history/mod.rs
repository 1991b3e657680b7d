//! Reads the history of a repository: commits, and who wrote which line.
//!
//! History is read with libgit2 and never with the `git` program, which runs what a repository's
//! configuration tells it to. Only the `.git` directory of the root is opened, or of a folder above it
//! that [`home`] trusts, after [`guard`] has checked that nothing leads out of it. It is checked before it
//! is opened: that protects against a malicious repository, not against a program that changes it at the
//! same moment. Above the root nothing but that directory is read, and no path from there is shown.

mod blame;
mod commits;
mod date;
mod guard;
mod head;
mod home;
mod log;
mod objects;
mod scrub;

pub use self::{guard::check_git_directory, log::LogQuery};
use crate::{Error, Repository};

/// A commit, without e-mail addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub id: String,
    pub author: String,
    /// RFC 3339, in the author's zone.
    pub date: String,
    pub subject: String,
    /// Files of the root that differ from the first parent.
    pub files_changed: usize,
}

/// Who wrote a line as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlameLine {
    /// From 1.
    pub line: usize,
    pub text: String,
    /// Absent for a line that is not committed.
    pub origin: Option<Origin>,
}

/// The commit that a line came with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub commit: String,
    pub author: String,
    /// RFC 3339, in the author's zone.
    pub date: String,
    pub subject: String,
    /// The line is at least this old: a limit was reached, or history is shallow.
    pub or_older: bool,
}

/// Names and subjects longer than this are cut.
const WIDTH: usize = 300;

/// A history that may be read, and where the root is in it.
struct History {
    git: git2::Repository,
    head: Option<git2::Oid>,
    prefix: String,
}

impl History {
    /// What the history calls a path of the root; the empty path is the root.
    fn path(&self, path: &str) -> String {
        match (self.prefix.as_str(), path) {
            ("", path) => path.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, path) => format!("{prefix}/{path}"),
        }
    }
}

impl Repository {
    /// Whether there is a history that may be read. Opens it and reads none of it.
    #[must_use]
    pub fn has_history(&self) -> bool {
        self.history().is_ok()
    }

    /// The message of a commit, as far as it may be shown.
    fn message(&self, commit: &git2::Commit<'_>) -> String {
        scrub::scrub(self.root.hidden(), commit.message_bytes())
    }

    fn history(&self) -> Result<History, Error> {
        self.cancel.check()?;
        let history = guard::open(&self.root, &self.cancel)?;
        // Somebody's home may be a repository, and what is in it need not be part of that.
        if !history.prefix.is_empty() {
            let head = history.newest().map_err(fault("find the newest commit"))?;
            if head.is_some_and(|head| history.at(&head, &history.prefix).is_none()) {
                return Err(guard::refused("the git repository around it does not have it"));
            }
        }
        Ok(history)
    }
}

fn fault(doing: &'static str) -> impl Fn(git2::Error) -> Error {
    move |source| Error::History { doing, source }
}

fn author(commit: &git2::Commit<'_>) -> String {
    shown(commit.author().name_bytes())
}

fn date(commit: &git2::Commit<'_>) -> String {
    let when = commit.author().when();
    date::rfc3339(when.seconds(), when.offset_minutes())
}

fn subject(message: &str) -> String {
    shown(message.split('\n').find(|line| !line.is_empty()).unwrap_or("").as_bytes())
}

fn shown(bytes: &[u8]) -> String {
    crate::words::excerpt(bytes, 0, WIDTH)
}
