//! Emptying the WAL after secrets were let go: the pages where they lay are overwritten in the
//! database, but the WAL still has them as they were.

use std::time::Duration;

use consign_engine::store::Error;
use rusqlite::{Connection, OpenFlags};

use super::{
    fail::{explain, is_failed_sync},
    store_folder::StoreFolder,
};

/// How long readers are waited for. Where one takes longer, the WAL is emptied another time.
const PATIENCE: Duration = Duration::from_secs(1);

/// Copies the WAL into the database and cuts it to nothing, as far as others let us. What was
/// written is durable before and after; only a sync that fails is an error.
pub(crate) fn empty_wal(home: &StoreFolder) -> Result<(), Error> {
    match try_to_empty(home) {
        Err(error) if is_failed_sync(&error) => Err(explain(&error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// On a connection of its own: the one that writes is always in the middle of something.
fn try_to_empty(home: &StoreFolder) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(home.database(), flags)?;
    db.busy_timeout(PATIENCE)?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}
