//! Empties the WAL after secrets were removed.
//!
//! Their pages are overwritten with zeros in the database, but the WAL still has the old pages.

use std::time::Duration;

use consign_engine::store::Error;
use rusqlite::{Connection, OpenFlags};
use tracing::warn;

use super::{
    fail::{explain, is_failed_sync},
    store_folder::StoreFolder,
};

/// How long to wait for readers. Each try.
const PATIENCE: Duration = Duration::from_secs(1);

/// Tries before the WAL is left to the next time, or to the end of the last process.
const TRIES: usize = 5;

/// Copies the WAL into the database and truncates it, as far as readers allow. What was written is
/// durable before and after; only a failed sync is an error.
pub(crate) fn empty_wal(home: &StoreFolder) -> Result<(), Error> {
    for _ in 0..TRIES {
        match try_to_empty(home) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(error) if is_failed_sync(&error) => return Err(explain(&error)),
            Err(error) => {
                warn!(%error, "the WAL could not be emptied: it has removed text until that is done");
                return Ok(());
            }
        }
    }
    warn!("a reader keeps the WAL from being emptied: it has removed text until that is done");
    Ok(())
}

/// Whether it is empty now. Uses a connection of its own, because the one of the writer is always in a transaction.
fn try_to_empty(home: &StoreFolder) -> rusqlite::Result<bool> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(home.database(), flags)?;
    db.busy_timeout(PATIENCE)?;
    db.pragma_update(None, "synchronous", "FULL")?;
    // The first column says whether somebody was in the way.
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| Ok(row.get::<_, i64>(0)? == 0))
}
