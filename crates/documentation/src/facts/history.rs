//! Commits that belong into a changelog.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern;
use crate::LogEntry;

/// A commit with the form of a conventional one, or a release.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Change {
    /// `feat`, `fix` and so on; empty for a commit of another form.
    pub kind: String,
    pub scope: Option<String>,
    pub subject: String,
    pub breaking: bool,
    pub id: String,
    pub date: String,
    /// The version that was tagged at it.
    pub release: Option<String>,
}

static CONVENTIONAL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^([a-z]{2,12})(?:\(([^)]{1,60})\))?(!)?:\s+(.+)$"));
static VERSION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^v?(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]+)?)$"));
/// The kinds that a reader of a changelog looks for.
const WORTHY: &[&str] = &["feat", "fix", "perf", "revert", "security", "deprecate"];

pub(super) fn changes(commits: &[LogEntry]) -> Vec<Change> {
    commits.iter().filter_map(change).collect()
}

fn change(commit: &LogEntry) -> Option<Change> {
    let release =
        commit.tags.iter().find_map(|tag| VERSION.captures(tag).map(|tag| tag[1].to_owned()));
    let noted = commit
        .body
        .lines()
        .any(|line| line.starts_with("BREAKING CHANGE:") || line.starts_with("BREAKING-CHANGE:"));
    let form = CONVENTIONAL.captures(commit.subject.trim());
    let kind = form.as_ref().map_or(String::new(), |form| form[1].to_owned());
    let breaking = noted || form.as_ref().is_some_and(|form| form.get(3).is_some());
    let worthy = WORTHY.contains(&kind.as_str()) || breaking;
    if !worthy && release.is_none() {
        return None;
    }
    Some(Change {
        subject: form
            .as_ref()
            .map_or_else(|| commit.subject.trim().to_owned(), |form| form[4].to_owned()),
        scope: form.as_ref().and_then(|form| form.get(2)).map(|scope| scope.as_str().to_owned()),
        kind: if worthy { kind } else { String::new() },
        breaking,
        id: commit.id.chars().take(10).collect(),
        date: commit.date.chars().take(10).collect(),
        release,
    })
}
