//! What the documentation of a code base says, and whether the code agrees. The agent Scribe is made of it.
//!
//! Somebody else fills a [`Snapshot`]. [`Facts::of`] reads it, [`plan::plan`] turns targets into sections with
//! sources, [`rules::write`] writes documents from facts alone, [`check()`] looks up every reference of a
//! document, [`repair`] takes out what was not found, and [`merge::merge`] updates an existing document section by
//! section. [`quality::score`] counts
//! it all together; `consign-bench scribe` measures the checker itself. `docs/scribe.md` says what is checked.
//!
//! Everything here is a function of its arguments: nothing may read a file, ask a model or look at a clock. Files
//! of the repository are text of a stranger: they are read as data, bounded, and never obeyed.

pub mod check;
pub mod choose;
pub mod contracts;
pub mod diff;
pub mod facts;
pub mod markdown;
pub mod merge;
pub mod plan;
pub mod quality;
pub mod repair;
pub mod rules;
pub mod sign;
mod snapshot;
pub mod targets;

pub use check::{Critique, Issue, IssueKind, check};
pub use contracts::Contract;
pub use facts::Facts;
pub use snapshot::{
    LeftOut, LogEntry, MOST_BYTES, MOST_DOCUMENT_BYTES, MOST_FILE_BYTES, Snapshot, Text, WhyLeftOut,
};
