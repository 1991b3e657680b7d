//! Where it is kept: runs and journal in SQLite, large values on disk.
//!
//! [`SqliteStore`] keeps the promise of [`consign_engine::store::Store`] in one directory, for any
//! number of processes of one machine. No SQL leaves this crate.

mod blobs;
mod sqlite;

pub use sqlite::{OpenError, Options, SqliteStore, Swept};
