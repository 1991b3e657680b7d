//! Measures the checker: true documents are broken in known ways, and it must find each.
//!
//! [`breakages`] makes the broken documents of one true one. Its patterns are its own: it does not ask the checker
//! what a reference is. [`evaluate`] counts what is found, and what is flagged on the untouched documents.

mod breakage;

use std::collections::BTreeMap;

pub use self::breakage::{Breakage, Broken, breakages};
use super::{Critique, Facts, Issue, IssueKind, Snapshot, check};

/// One document of a repository.
pub struct Specimen<'a> {
    pub snapshot: &'a Snapshot,
    pub facts: &'a Facts,
    pub path: String,
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub documents: usize,
    /// References that were looked up in the untouched documents.
    pub checked: usize,
    /// Flagged in untouched documents: path and issue. A person says which of them are wrong.
    pub flagged: Vec<(String, Issue)>,
    /// By kind: found and all.
    pub kinds: BTreeMap<Breakage, (usize, usize)>,
    pub missed: Vec<(String, Broken)>,
}

impl Figures {
    #[must_use]
    pub fn found(&self) -> (usize, usize) {
        self.kinds.values().fold((0, 0), |sum, kind| (sum.0 + kind.0, sum.1 + kind.1))
    }
}

/// Checks all documents, and `most` broken ones, taken in turn from all kinds and documents.
#[must_use]
pub fn evaluate(specimens: &[Specimen<'_>], most: usize) -> Figures {
    let mut figures = Figures { documents: specimens.len(), ..Figures::default() };
    let mut waiting: BTreeMap<Breakage, Vec<Vec<(usize, Broken)>>> = BTreeMap::new();
    let mut before: Vec<Critique> = Vec::new();
    for (at, specimen) in specimens.iter().enumerate() {
        let text = specimen.snapshot.text(&specimen.path).unwrap_or("");
        let critique = check(&specimen.path, text, specimen.facts, specimen.snapshot);
        figures.checked += critique.checked;
        let flagged = critique.issues.iter().filter(|issue| issue.kind != IssueKind::Section);
        figures.flagged.extend(
            flagged.map(|issue| {
                (format!("{}/{}", specimen.snapshot.name, specimen.path), issue.clone())
            }),
        );
        let mut by_kind: BTreeMap<Breakage, Vec<(usize, Broken)>> = BTreeMap::new();
        for broken in breakages(&specimen.path, text, specimen.facts, specimen.snapshot) {
            by_kind.entry(broken.kind).or_default().push((at, broken));
        }
        for (kind, cases) in by_kind {
            waiting.entry(kind).or_default().push(cases);
        }
        before.push(critique);
    }
    let mut taken = 0;
    let mut round = 0;
    while taken < most && waiting.values().any(|lists| lists.iter().any(|cases| !cases.is_empty()))
    {
        for (kind, lists) in &mut waiting {
            let length = lists.len();
            let Some(cases) = (0..length)
                .map(|step| (round + step) % length)
                .find(|place| !lists[*place].is_empty())
            else {
                continue;
            };
            if taken >= most {
                break;
            }
            let list = &mut lists[cases];
            // From the middle: the first reference of a document is often the easiest.
            let (at, broken) = list.remove(list.len() / 2);
            let specimen = &specimens[at];
            let critique = check(&specimen.path, &broken.text, specimen.facts, specimen.snapshot);
            let found = is_found(&before[at], &critique, &broken);
            let count = figures.kinds.entry(*kind).or_default();
            count.0 += usize::from(found);
            count.1 += 1;
            taken += 1;
            if !found {
                figures
                    .missed
                    .push((format!("{}/{}", specimen.snapshot.name, specimen.path), broken));
            }
        }
        round += 1;
    }
    figures
}

/// Whether there is an issue that was not there before, at the line that was changed.
fn is_found(before: &Critique, after: &Critique, broken: &Broken) -> bool {
    let known = |issue: &Issue| {
        before
            .issues
            .iter()
            .any(|other| other.kind == issue.kind && other.reference == issue.reference)
    };
    after.issues.iter().any(|issue| {
        !known(issue) && (issue.line == 0 || issue.line.abs_diff(broken.line) <= broken.reach)
    })
}
