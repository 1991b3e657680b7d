//! Sources are taken in as a durable run, `conversation/ingest`.
//!
//! [`IngestInput`] is what it is given, [`Progress`] what it has come to, [`FileRow`] what is told of each file, and
//! [`IngestOutcome`] what it ends with. Files are fetched one after the other and read several at once; each is three
//! recorded steps (`connector-N`, `parser-N`, `memory-N`), so that a crash repeats the steps that were under way and no
//! others. [`Progress`] calls nothing, and it does not grow with the number of files.

mod input;
pub(crate) mod progress;
mod row;
pub(crate) mod workflow;

pub(crate) use self::input::check_collection;
pub use self::{
    input::{DEFAULT_COLLECTION, IngestInput, OcrWish, SourceInput, Trusting},
    progress::{IngestOutcome, Progress},
    row::{Counts, FileRow, RowStatus},
    workflow::{CopyNote, WORKFLOW, copy_note_of, given_of, row_of},
};
