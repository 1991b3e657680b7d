//! Documents: taken in, listed, read, searched and removed.
//!
//! [`begin`] starts an ingest that this process drives, [`find`](search) searches, [`parse`] reads one file without keeping it.
//! [`take_texts`] keeps texts without a run, and [`wanted`] says what looking again at known sources means. Every function
//! takes the owner, and nothing of another owner is seen. Surfaces that serve strangers reach local files only below the
//! roots of the settings ([`Trusting::Roots`]).

pub mod credentials;
mod given;
mod ingest;
mod leftovers;
mod library;
mod parse;
mod reader;
mod refresh;
mod rows;
mod search;
mod settings;
mod sources;
mod texts;
mod upload;
mod vectors;

pub use consign_connector::{BadFetch, Fetch};
pub use consign_conversation::{
    TextInput,
    failure::Failed,
    ingest::{
        Counts, DEFAULT_COLLECTION, FileRow, IngestInput, IngestOutcome, OcrWish, RowStatus,
        SourceInput, Trusting,
    },
};
pub use consign_knowledge::{Answer, Marked, Progress, Source, SourceQuery, Way};
pub(crate) use library::library;
pub(crate) use settings::DocumentSettings;

pub use self::{
    ingest::{Ingest, begin, interrupted},
    leftovers::sweep,
    parse::{ParseWish, Parsed, parse},
    reader::{PARSE_CHILD, serve_child},
    refresh::{Refresh, note_missing, wanted},
    rows::Rows,
    search::search,
    sources::{SourceList, list, remove, row, show, text},
    texts::{read_text, take_texts, text_row},
    upload::{Upload, UploadRules, UploadWishes, begin_outside},
    vectors::{Filling, NoModel, Vectored, Vectors, fill_in_background, finish_vectors},
};
