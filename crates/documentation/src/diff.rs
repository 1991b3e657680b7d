//! How many lines differ between two texts.

use similar::{ChangeTag, TextDiff};

/// The lines that an update adds, removes and changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct LineCounts {
    pub added: usize,
    pub removed: usize,
    /// A line that comes in place of another counts once, one that is only added or removed counts too. This is
    /// `linesChanged`.
    pub changed: usize,
}

/// Counts from the old text to the new one; a new document has an empty old text.
#[must_use]
pub fn count(old: &str, new: &str) -> LineCounts {
    let mut counts = LineCounts::default();
    let diff = TextDiff::from_lines(old, new);
    for operation in diff.ops() {
        let of = |tag| diff.iter_changes(operation).filter(|change| change.tag() == tag).count();
        let (added, removed) = (of(ChangeTag::Insert), of(ChangeTag::Delete));
        counts.added += added;
        counts.removed += removed;
        counts.changed += added.max(removed);
    }
    counts
}
