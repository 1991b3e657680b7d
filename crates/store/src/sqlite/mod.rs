//! The embedded store: SQLite in one directory, shared by all processes of a machine.
//!
//! - `consign.db`, in WAL mode: readers never wait, and a commit is one sync.
//! - `write.lock`: the process that holds it writes a batch. See [`lock`]. Its length tells that
//!   there is, or was, a store. See [`marker`].
//! - `workers/`: a locked file for each living worker. See [`workers`].
//! - `blobs/`: values too large for a row. See [`crate::blobs`].
//!
//! Documents and what finds them are tables of the database too. See [`index`].
//!
//! All writes go through one thread ([`writer`]), all reads through a few connections ([`pool`]).
//! After a sync that failed, every call answers [`Error::Lost`](consign_engine::store::Error::Lost):
//! only a new process can find out what is on the disk.

mod accounts;
mod backup;
mod change_notifier;
mod claimed;
mod conversations;
mod discussion;
mod fail;
mod index;
mod large;
mod lock;
mod marker;
mod open;
mod pool;
mod port;
mod read;
mod redact;
mod schema;
mod session_memory;
mod settings;
mod sql;
mod store;
mod store_folder;
mod sweep;
mod vault;
mod wipe;
mod workers;
mod write;
mod writer;

pub use self::{
    backup::Copied,
    open::OpenError,
    store::{Options, SqliteStore},
    sweep::Swept,
};
pub(crate) use self::{
    fail::{of_disk, unwritten},
    store_folder::{make_folder, remove, sync_folder},
};
