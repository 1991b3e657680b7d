//! Empties the WAL after secrets were removed.
//!
//! Their pages are overwritten with zeros in the database, but the WAL still has the old pages.

use std::time::Duration;

use consign_engine::store::Error;
use rusqlite::{Connection, OpenFlags};

use super::{
    fail::{explain, is_failed_sync},
    store_folder::StoreFolder,
};

/// How long to wait for readers. If one takes longer, the WAL is emptied another time.
const PATIENCE: Duration = Duration::from_secs(1);

/// Copies the WAL into the database and truncates it, as far as readers allow. What was written is
/// durable before and after; only a failed sync is an error.
pub(crate) fn empty_wal(home: &StoreFolder) -> Result<(), Error> {
    match try_to_empty(home) {
        Err(error) if is_failed_sync(&error) => Err(explain(&error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Uses a connection of its own, because the one of the writer is always in a transaction.
fn try_to_empty(home: &StoreFolder) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(home.database(), flags)?;
    db.busy_timeout(PATIENCE)?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}
