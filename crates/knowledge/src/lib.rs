//! What is known of documents, and how it is found.
//!
//! A parser's result becomes a [`Version`], an [`Index`] keeps it, an [`Embedder`] gives its chunks vectors (through the
//! [`Filler`], in the background), and [`Search`] finds them. All rules are here: names, stems, filters, fusion and
//! calibration. Nothing here reads a file, a database, a model or a clock; adapters of the two ports do.

mod bm25;
pub mod conversation;
mod document;
mod embedder;
mod fill;
mod filter;
mod id;
mod index;
mod language;
mod ranking;
mod search;
mod stems;
mod vector;
mod words;

pub use bm25::Totals;
pub use document::{About, Chunk, Draft, Source, StoredChunk, Unfit, Version};
pub use embedder::{EmbedError, Embedder, Model};
pub use fill::{FillError, Filler};
pub use filter::Filters;
pub use id::{ChunkId, DocumentId, SourceId};
pub use index::{Ask, AskVector, Error, Found, Hit, Index, Progress, Put, SourceQuery};
pub use language::{Language, Languages};
pub use ranking::{Calibration, Judge, Signals, rank};
pub use search::{Answer, Marked, Search, Way};
pub use stems::{MOST_TERMS, Stems, Term, is_stop_word, marks, stem, terms};
pub use vector::{Query, Vector};
pub use words::words;
