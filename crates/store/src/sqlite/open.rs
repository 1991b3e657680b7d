//! Opens the database file: checks that it is ours and of this version, and sets up connections.
//!
//! A command opens the store each time it is called, so this reads two numbers from the file and
//! takes no lock unless the tables must be made or migrated.

use std::{
    fs::{self, Permissions},
    io,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use consign_engine::store::Error;
use rusqlite::{Connection, OpenFlags, config::DbConfig, ffi};

use super::{
    fail,
    lock::WriteLock,
    marker::{has_bytes, is_gone, is_marked, mark},
    schema::{APPLICATION, CURRENT, migrate},
    store_folder::StoreFolder,
};

/// Why a store cannot be opened. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("could not create or open {path}: {source}")]
    Disk { path: PathBuf, source: io::Error },
    /// An SQLite file that another program made.
    #[error("{path} is a database of another program; name another directory as home")]
    Foreign { path: PathBuf },
    #[error("{path} is not a database; move it away, or restore a backup")]
    NotADatabase { path: PathBuf },
    /// There was a store in this home, and its database is missing or empty.
    #[error(
        "{path} is missing or empty, but there was a store here: move this home away and restore \
         a backup, or name another directory as home"
    )]
    Gone { path: PathBuf },
    /// The database has a format that this version does not know.
    #[error(
        "{path} was written by a newer Consign (format {found}; this version reads up to {known}): \
         use the newer version, or another home"
    )]
    Newer { path: PathBuf, found: i64, known: usize },
    #[error("{path} cannot be written: it, or its folder, is read-only")]
    ReadOnly { path: PathBuf },
    /// Its file system cannot share memory between processes, as network file systems cannot.
    #[error("{path} is on a file system that SQLite cannot share; put it on a local disk")]
    NoWal { path: PathBuf },
    #[error("could not open {path}: {source}")]
    Database { path: PathBuf, source: rusqlite::Error },
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Self {
        match &error {
            OpenError::NotADatabase { .. } | OpenError::Gone { .. } => {
                Self::Damaged(error.to_string())
            }
            OpenError::Database { source, .. } => fail::explain(source),
            OpenError::Disk { source, .. } if fail::is_unsynced(source) => fail::lost(source),
            OpenError::Disk { .. }
            | OpenError::Foreign { .. }
            | OpenError::Newer { .. }
            | OpenError::ReadOnly { .. }
            | OpenError::NoWal { .. } => Self::Unavailable(error.to_string()),
        }
    }
}

/// The state of a database file before it is opened.
enum Found {
    Empty,
    Older(usize),
    Current,
}

/// Opens the connection that writes, and brings the tables up to date first.
pub(crate) fn for_writing(home: &StoreFolder, lock: &WriteLock) -> Result<Connection, OpenError> {
    let path = home.database();
    refuse_if_gone(home)?;
    let opened = Connection::open_with_flags(
        &path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    );
    let db = opened.map_err(|error| unopened(home, error))?;
    let failed = |error| unopened(home, error);
    set_up(&db, WRITER_CACHE).map_err(failed)?;
    // What is freed is overwritten with zeros, always: states of runs are replaced all the time, and what an earlier one
    // left in a free page could not be found any more when its run is redacted. It costs a tenth more CPU at most, and
    // seldom another page.
    db.pragma_update(None, "secure_delete", true).map_err(failed)?;
    // SQLite falls back to reading when it may not write.
    if db.is_readonly("main").map_err(failed)? {
        return Err(OpenError::ReadOnly { path });
    }
    match examine(&db, home)? {
        Found::Current => {}
        Found::Empty | Found::Older(_) => bring_up_to_date(&db, home, lock)?,
    }
    let disk = |source| OpenError::Disk { path: home.root().to_owned(), source };
    if !is_marked(home).map_err(disk)? {
        mark(home, lock).map_err(disk)?;
    }
    Ok(db)
}

fn refuse_if_gone(home: &StoreFolder) -> Result<(), OpenError> {
    let path = home.database();
    match is_gone(home) {
        Ok(false) => Ok(()),
        Ok(true) => Err(OpenError::Gone { path }),
        Err(source) => Err(OpenError::Disk { path, source }),
    }
}

/// Opens a connection that can only read.
pub(crate) fn for_reading(home: &StoreFolder) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(home.database(), flags)?;
    set_up(&db, READER_CACHE)?;
    Ok(db)
}

/// Whether a home can be read as it is. Nothing is made or migrated.
pub(crate) fn check_to_look(home: &StoreFolder) -> Result<(), OpenError> {
    let path = home.database();
    refuse_if_gone(home)?;
    if !has_bytes(&path).map_err(|source| OpenError::Disk { path: path.clone(), source })? {
        return Err(OpenError::ReadOnly { path });
    }
    let db = for_looking(home).map_err(|error| unopened(home, error))?;
    match examine(&db, home)? {
        Found::Current => Ok(()),
        Found::Empty if is_marked(home).unwrap_or(false) => Err(OpenError::Gone { path }),
        // Somebody who can write has to come first.
        Found::Empty | Found::Older(_) => Err(OpenError::ReadOnly { path }),
    }
}

/// Opens a database that this process may not be able to write, nor put files beside it.
///
/// Where there is a WAL, what it holds counts, and SQLite reads it without writing anywhere. Where
/// there is none, SQLite would have to make one, unless it is told that no process writes. That is
/// true as long as there is none: see [`Stamp`].
pub(crate) fn for_looking(home: &StoreFolder) -> rusqlite::Result<Connection> {
    if Stamp::of(home).is_none() {
        return for_reading(home);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let mut uri = String::from("file:");
    for byte in home.database().as_os_str().as_bytes() {
        uri += &format!("%{byte:02x}");
    }
    let db = Connection::open_with_flags(uri + "?immutable=1", flags)?;
    set_up(&db, READER_CACHE)?;
    Ok(db)
}

/// Size and time of a database that no process writes. A process that opens it to write makes a WAL
/// first, and one that empties and removes a WAL changes the file. So what was read between two
/// equal stamps is consistent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stamp(u64, SystemTime);

impl Stamp {
    pub(crate) fn of(home: &StoreFolder) -> Option<Self> {
        if home.wal().exists() {
            return None;
        }
        let file = fs::metadata(home.database()).ok()?;
        Some(Self(file.len(), file.modified().ok()?))
    }
}

/// Cache sizes in KiB; the minus sign is SQLite's way to say so. A cache fills only as needed.
const WRITER_CACHE: i64 = -32_000;
const READER_CACHE: i64 = -4_000;

/// The number of pages after which the WAL is copied into the database file. The longer the WAL,
/// the more writes to a hot page become one, and the more a reader has to search.
const CHECKPOINT: i64 = 4_000;

/// Sets what the database file does not keep.
fn set_up(db: &Connection, cache: i64) -> rusqlite::Result<()> {
    // Only a reader that finds a WAL after a crash, or a stranger's program, can make us wait.
    db.busy_timeout(Duration::from_secs(5))?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "foreign_keys", false)?;
    db.pragma_update(None, "cache_size", cache)?;
    db.pragma_update(None, "wal_autocheckpoint", CHECKPOINT)?;
    db.pragma_update(None, "journal_size_limit", 64 << 20)?;
    db.set_prepared_statement_cache_capacity(64);
    // Otherwise a statement with a bound LIMIT is prepared anew each time that it is used, which costs more than most
    // reads do.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

fn examine(db: &Connection, home: &StoreFolder) -> Result<Found, OpenError> {
    let failed = |error| unopened(home, error);
    // At one moment: tables that another process makes between two looks would seem a stranger's.
    let view = db.unchecked_transaction().map_err(failed)?;
    let number = |sql| view.query_row(sql, [], |row| row.get::<_, i64>(0));
    let version = number("PRAGMA user_version").map_err(failed)?;
    let application = number("PRAGMA application_id").map_err(failed)?;
    let path = home.database();
    if application != APPLICATION {
        let tables = number("SELECT count(*) FROM sqlite_schema").map_err(failed)?;
        let ours = application == 0 && version == 0 && tables == 0;
        return if ours { Ok(Found::Empty) } else { Err(OpenError::Foreign { path }) };
    }
    match usize::try_from(version) {
        Ok(CURRENT) => Ok(Found::Current),
        Ok(older) if older < CURRENT => Ok(Found::Older(older)),
        Ok(_) | Err(_) => Err(OpenError::Newer { path, found: version, known: CURRENT }),
    }
}

fn bring_up_to_date(
    db: &Connection,
    home: &StoreFolder,
    lock: &WriteLock,
) -> Result<(), OpenError> {
    let failed = |error| unopened(home, error);
    let disk = |source| OpenError::Disk { path: home.write_lock(), source };
    let _held = lock.hold().map_err(disk)?;
    // Another process may have done it while this one waited.
    let from = match examine(db, home)? {
        Found::Current => return Ok(()),
        // The tables were in a WAL that is gone: the file has only its first page.
        Found::Empty if is_marked(home).map_err(disk)? => {
            return Err(OpenError::Gone { path: home.database() });
        }
        Found::Empty => {
            keep_private(home)?;
            0
        }
        Found::Older(version) => version,
    };
    let mode: String =
        db.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).map_err(failed)?;
    if mode != "wal" {
        return Err(OpenError::NoWal { path: home.database() });
    }
    migrate(db, from, CURRENT).map_err(failed)
}

/// Restricts access to the database of a home that existed before and that others may enter. What
/// SQLite puts beside the database gets the same rights.
///
/// It sets them by name, without opening the file: closing a file that was opened past SQLite drops
/// all locks that this process has on it.
fn keep_private(home: &StoreFolder) -> Result<(), OpenError> {
    let path = home.database();
    fs::set_permissions(&path, Permissions::from_mode(0o600))
        .map_err(|source| OpenError::Disk { path, source })
}

fn unopened(home: &StoreFolder, source: rusqlite::Error) -> OpenError {
    let path = home.database();
    match source.sqlite_error().map(|error| error.extended_code & 0xff) {
        Some(ffi::SQLITE_NOTADB) => OpenError::NotADatabase { path },
        Some(ffi::SQLITE_READONLY) => OpenError::ReadOnly { path },
        Some(_) | None => OpenError::Database { path, source },
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn a_statement_with_a_bound_limit_is_prepared_once() {
        let db = Connection::open_in_memory().unwrap();
        set_up(&db, READER_CACHE).unwrap();
        db.execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)").unwrap();
        let mut find = db.prepare("SELECT a FROM t WHERE a > ?1 LIMIT ?2").unwrap();
        for most in 1..10 {
            assert!(find.exists([0, most]).unwrap());
        }
        assert_eq!(find.get_status(StatementStatus::RePrepare), 0);
    }
}
