//! The embedded store: runs and their journals in SQLite, large values in files.
//!
//! [`SqliteStore`] implements [`consign_engine::store::Store`] and the ports beside it, such as
//! [`consign_accounts::AccountStore`], in one directory, for any number of processes on one machine.
//! No SQL leaves this crate, and it has no rule about runs or users.

mod blobs;
mod blocking_thread;
mod cached_conversations;
mod sqlite;

pub use blocking_thread::on_blocking_thread;
pub use cached_conversations::CachedConversations;
pub use sqlite::{Copied, OpenError, Options, SqliteStore, Swept};
