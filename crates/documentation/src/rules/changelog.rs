//! CHANGELOG, from commits.

use super::{Page, Written, plain};
use crate::facts::Change;

const KINDS: &[(&str, &str)] = &[
    ("feat", "Added"),
    ("fix", "Fixed"),
    ("perf", "Faster"),
    ("revert", "Reverted"),
    ("security", "Security"),
    ("deprecate", "Deprecated"),
];

pub(super) fn write(page: &Page<'_>) -> Written {
    let changes = &page.facts.changes;
    let first_release =
        changes.iter().position(|change| change.release.is_some()).unwrap_or(changes.len());
    let mut sections = vec![("Unreleased".to_owned(), list(&changes[..first_release]))];
    let breaking: Vec<String> = changes.iter().filter(|change| change.breaking).map(row).collect();
    let none = "None in the commits that were read.".to_owned();
    sections.push((
        "Breaking Changes".to_owned(),
        if breaking.is_empty() { none } else { breaking.join("\n") },
    ));
    let mut at = first_release;
    while at < changes.len() {
        let end = changes[at + 1..]
            .iter()
            .position(|change| change.release.is_some())
            .map_or(changes.len(), |next| at + 1 + next);
        let version = changes[at].release.clone().unwrap_or_default();
        sections
            .push((format!("{version} - {}", plain(&changes[at].date)), list(&changes[at..end])));
        at = end;
    }
    if first_release == changes.len() {
        let version = page
            .facts
            .main_package()
            .and_then(|package| Some((package.version.clone()?, package.path.clone())));
        match version {
            Some((version, path)) => sections.push((
                plain(&version),
                format!(
                    "The version in {}. No commit that was read has its tag.",
                    page.link(&path)
                ),
            )),
            None => sections.push((
                "Versions".to_owned(),
                "No commit that was read has the tag of a version.".to_owned(),
            )),
        }
    }
    // No count of them: it would be another one as soon as this document is committed.
    let lead = "Only commits of the conventional form are listed.".to_owned();
    ("Changelog".to_owned(), lead, sections)
}

fn list(changes: &[Change]) -> String {
    let mut out = String::new();
    for (kind, heading) in KINDS {
        let rows: Vec<String> =
            changes.iter().filter(|change| change.kind == *kind).map(row).collect();
        if !rows.is_empty() {
            out.push_str(&format!("### {heading}\n\n{}\n\n", rows.join("\n")));
        }
    }
    if out.is_empty() { "No commit of the conventional form.".to_owned() } else { out }
}

fn row(change: &Change) -> String {
    let scope =
        change.scope.as_deref().map(|scope| format!("{}: ", plain(scope))).unwrap_or_default();
    format!("- {scope}{} ({})", plain(&change.subject), plain(&change.id))
}
