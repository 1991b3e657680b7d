//! The embedded store: runs and their journals in SQLite, large values in files.
//!
//! [`SqliteStore`] implements [`consign_engine::store::Store`] in one directory, for any number of
//! processes on one machine. No SQL leaves this crate, and it has no rule about runs.

mod blobs;
mod sqlite;

pub use sqlite::{Copied, OpenError, Options, SqliteStore, Swept};
