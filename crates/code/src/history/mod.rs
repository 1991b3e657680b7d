//! What happened to the code.
//!
//! History is read with libgit2 and never with the `git` program, which runs what a repository's
//! configuration tells it to. Only the repository's own `.git` directory is opened, after
//! [`guard`] has looked for what leads out of the root. It is looked at before it is opened: that holds
//! against whoever made the repository, not against somebody who changes it at the same moment.

mod blame;
mod date;
mod guard;
mod log;

use crate::{Error, Repository};

/// A commit, without anybody's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub id: String,
    pub author: String,
    /// RFC 3339, in the author's zone.
    pub date: String,
    pub subject: String,
    /// Files that differ from the first parent.
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

impl Repository {
    fn history(&self) -> Result<git2::Repository, Error> {
        self.cancel.check()?;
        guard::open(&self.root, &self.cancel)
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

fn subject(commit: &git2::Commit<'_>) -> String {
    shown(
        commit
            .message_bytes()
            .split(|&byte| byte == b'\n')
            .find(|line| !line.is_empty())
            .unwrap_or(b""),
    )
}

fn shown(bytes: &[u8]) -> String {
    crate::words::excerpt(bytes, 0, WIDTH)
}
