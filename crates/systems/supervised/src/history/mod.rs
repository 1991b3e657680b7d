//! `jobHistory.json` of a job's directory: every exchange of the job, word for word.
//!
//! The journal is the truth and this is a projection of it. Any write may be lost or torn by a crash; what is missing
//! is then appended again.
//!
//! ```text
//! match HistoryFile::open(dir, ROTATE_BYTES) {
//!     Err(Error::Missing { .. }) => HistoryFile::create(dir, &head, ROTATE_BYTES)
//!     Err(Error::Damaged { .. }) => HistoryFile::repair(dir, ROTATE_BYTES)      // keeps what is whole
//!     Err(Error::NeedsMigration { .. }) => migrate(dir, ROTATE_BYTES)
//!     opened => opened
//! }
//! file.append(&journal.interactions[file.next_sequence()..], &journal.points[file.point_count()..], true)
//! ```
//!
//! - [`HistoryFile`] appends. [`interactions()`] and [`points()`] read; they never change a file, and may run beside the
//!   one that appends.
//! - [`check()`] hands out the exact bytes of every interaction, for a caller that knows what they should be, and tells
//!   what is damaged. [`rebuild()`] puts an altered history aside and writes it anew.
//! - [`migrate()`] takes over a file without `version`, as the protocol's own document has it.
//!
//! The parts: `head`, `body` and `tail` are the three parts of the file's text. `offsets` remembers where interactions
//! begin, and `locate` finds one by it. `segment` is an older part of the history, compressed; `index` lists them, and
//! `rotate` makes them. `view` opens all of it to read.
//!
//! What is where is decided by one number: `first_sequence` of `jobHistory.json`. A segment that begins there or after
//! it does not count. So a rotation that a crash interrupted has not happened, and replacing `jobHistory.json` in one
//! step is what completes it.
//!
//! Only one process may append to a job's history at a time: the caller holds the job's lock. Nothing here knows what an
//! interaction means, beyond its `sequence`.

mod body;
mod check;
mod error;
mod file;
mod foreign;
mod head;
mod index;
mod locate;
mod migrate;
mod names;
mod offsets;
mod open;
mod read;
mod rebuild;
mod rotate;
mod segment;
mod tail;
mod truncate;
mod view;
mod whole;

pub use self::{
    check::{Damage, check},
    error::Error,
    file::{HistoryFile, ROTATE_BYTES},
    head::Head,
    migrate::migrate,
    read::{Interactions, interactions, points},
    rebuild::rebuild,
};

#[cfg(test)]
mod tests;
