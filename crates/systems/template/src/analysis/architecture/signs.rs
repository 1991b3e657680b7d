//! Collects the signs of a pattern, and decides whether they are enough.

use std::collections::BTreeSet;

use crate::analysis::{Evidence, Pattern, languages::rounded};

/// The kind of a sign. Two of one kind may be the same observation twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    Folder,
    Type,
    Import,
    Package,
    /// The same roles again in several places.
    Shape,
}

#[derive(Default)]
pub(super) struct Signs {
    sorts: BTreeSet<Sort>,
    evidence: Vec<(Sort, Evidence)>,
}

impl Signs {
    pub(super) fn see(&mut self, sort: Sort, path: &str, line: Option<usize>, what: String) {
        self.sorts.insert(sort);
        if self.evidence.len() < 12 {
            let path = if path.is_empty() { "." } else { path };
            self.evidence.push((sort, Evidence { path: path.to_owned(), line, what }));
        }
    }

    pub(super) fn count(&self) -> usize {
        self.evidence.len()
    }

    /// The pattern, if signs of two sorts agree on it.
    ///
    /// Two sorts are worth 0.6, each further one 0.15, and each observation beyond the second 0.03: many
    /// folders are no substitute for another sort of sign.
    pub(super) fn pattern(self, name: &str) -> Option<Pattern> {
        if self.sorts.len() < 2 {
            return None;
        }
        let sorts = (self.sorts.len() - 2) as f64 * 0.15;
        let more = self.evidence.len().saturating_sub(2) as f64 * 0.03;
        let confidence = rounded((0.6 + sorts + more).min(0.95));
        // One of each sort comes first: who reads on after three lines has seen why.
        let mut sorts = self.sorts;
        let (first, rest): (Vec<_>, Vec<_>) =
            self.evidence.into_iter().partition(|(sort, _)| sorts.remove(sort));
        let evidence = first.into_iter().chain(rest).map(|(_, seen)| seen).collect();
        Some(Pattern { name: name.to_owned(), confidence, evidence })
    }
}
