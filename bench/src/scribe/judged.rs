//! What a person said of each flag on an untouched document.

use std::error::Error;

use consign_documentation::Issue;
use serde::Deserialize;

/// A judgement: the flag is wrong, or the document is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Verdict {
    repository: String,
    path: String,
    line: usize,
    kind: String,
    reference: String,
    /// Whether the flag is wrong: the document is right.
    pub wrong: bool,
    pub why: String,
}

pub(super) struct Judged(Vec<Verdict>);

pub(super) fn read() -> Result<Judged, Box<dyn Error>> {
    Ok(Judged(serde_json::from_str(include_str!("../../data/scribe/judged.json"))?))
}

impl Judged {
    pub(super) fn verdict(&self, repository: &str, path: &str, issue: &Issue) -> Option<&Verdict> {
        self.0.iter().find(|verdict| {
            verdict.repository == repository
                && verdict.path == path
                && verdict.line == issue.line
                && verdict.kind == issue.kind.as_str()
                && verdict.reference == issue.reference
        })
    }
}
