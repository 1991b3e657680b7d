//! Turns failures of SQLite and of the disk into the errors of the port.
//!
//! The question that decides is whether something may have been written: if so, the store is
//! [lost](Error::Lost). The rest is the text for the user.

use std::{fmt, io};

use consign_engine::store::{Error, Refusal};
use rusqlite::ffi;

/// Why a request stopped.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The request was refused. Nothing was written for it.
    Answer(Error),
    /// SQLite failed in the middle of it.
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for Halt {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Answer(error)
    }
}

impl From<Refusal> for Halt {
    fn from(refusal: Refusal) -> Self {
        Self::Answer(refusal.into())
    }
}

impl From<Halt> for Error {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Answer(error) => error,
            Halt::Sql(error) => explain(&error),
        }
    }
}

/// Whether a COMMIT that failed may nevertheless take effect after a crash.
///
/// In WAL mode it writes frames, syncs them, then publishes them in the index. A full disk stops it
/// before the frame that carries the commit mark is complete, and a lock before anything. What
/// fails later (the sync; memory or room for the index) leaves complete frames behind that a
/// recovery would take for committed, although SQLite itself has rolled back. A write error can be
/// either, so it counts as the worse.
pub(crate) fn may_be_written(commit: &rusqlite::Error) -> bool {
    match primary(commit) {
        Some(ffi::SQLITE_FULL | ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED | ffi::SQLITE_CONSTRAINT) => {
            false
        }
        Some(_) | None => true,
    }
}

/// Whether the kernel could not confirm that earlier writes are on the disk. It reports this only
/// once, and a second sync would succeed without having done anything.
pub(crate) fn is_failed_sync(error: &rusqlite::Error) -> bool {
    matches!(extended(error), Some(ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC))
}

/// The error of the port for a failure that certainly has left nothing behind.
pub(crate) fn explain(error: &rusqlite::Error) -> Error {
    if is_failed_sync(error) {
        return lost(error);
    }
    // The memory that processes share is a file too, and there was no room for it.
    if extended(error) == Some(ffi::SQLITE_IOERR_SHMSIZE) {
        return Error::Unavailable(FULL.into());
    }
    match primary(error) {
        // Not an error of SQLite: a column has a value of the wrong kind.
        None => Error::Damaged(format!("the database holds a value that cannot be read: {error}")),
        Some(ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB) => Error::Damaged(format!(
            "the database file is corrupt ({error}); keep a copy of it, then restore a backup"
        )),
        Some(ffi::SQLITE_FULL) => Error::Unavailable(FULL.into()),
        Some(ffi::SQLITE_READONLY | ffi::SQLITE_PERM | ffi::SQLITE_AUTH) => {
            Error::Unavailable(format!("{READ_ONLY} ({error})"))
        }
        Some(ffi::SQLITE_CANTOPEN) => Error::Unavailable(format!(
            "the database could not be opened: permission denied, or too many open files ({error})"
        )),
        Some(ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED) => Error::Unavailable(
            "another program keeps the database locked; nothing was written; try again".into(),
        ),
        Some(ffi::SQLITE_IOERR) => {
            Error::Unavailable(format!("the disk reported an error; nothing was written ({error})"))
        }
        Some(_) => {
            Error::Unavailable(format!("the database failed; nothing was written ({error})"))
        }
    }
}

const FULL: &str = "the disk is full; nothing was written; make room and try again";
const READ_ONLY: &str = "the database cannot be written: it, or its folder, is read-only";

pub(crate) fn lost(error: &dyn fmt::Display) -> Error {
    Error::Lost(format!("the disk could not confirm what was written to it ({error})"))
}

/// Turns an error of a file into one of the system. A failed sync stays
/// [recognisable](is_unsynced), because it must not be taken for a failure that may pass.
pub(crate) fn unwritten(error: consign_files::Error) -> io::Error {
    if let consign_files::Error::Sync { source, .. } = error {
        return io::Error::new(source.kind(), Unsynced(source));
    }
    error.into()
}

pub(crate) fn is_unsynced(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|cause| cause.is::<Unsynced>())
}

#[derive(Debug, thiserror::Error)]
#[error("a sync failed: {0}")]
struct Unsynced(io::Error);

/// The error for a failure beside the database: lock files, blobs, folders.
pub(crate) fn of_disk(doing: &str, error: &io::Error) -> Error {
    // Also where it failed for want of room: what was written before may be gone.
    if is_unsynced(error) {
        return lost(error);
    }
    let is = |kinds: &[io::ErrorKind]| kinds.contains(&error.kind());
    let text = if is(&[io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded]) {
        format!("{FULL} (could not {doing})")
    } else {
        format!("could not {doing}: {error}")
    };
    Error::Unavailable(text)
}

fn extended(error: &rusqlite::Error) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}

fn primary(error: &rusqlite::Error) -> Option<i32> {
    extended(error).map(|code| code & 0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sqlite(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
    }

    #[test]
    fn only_what_stops_before_the_commit_mark_is_surely_not_written() {
        let check = |code, may| assert_eq!(may_be_written(&sqlite(code)), may, "{code}");
        check(ffi::SQLITE_FULL, false);
        check(ffi::SQLITE_BUSY, false);
        check(ffi::SQLITE_BUSY_SNAPSHOT, false);
        check(ffi::SQLITE_IOERR_FSYNC, true);
        check(ffi::SQLITE_IOERR_DIR_FSYNC, true);
        check(ffi::SQLITE_IOERR_WRITE, true);
        check(ffi::SQLITE_IOERR_SHMSIZE, true);
        check(ffi::SQLITE_NOMEM, true);
    }

    #[test]
    fn each_failure_says_what_it_is() {
        let check = |code, text: &str| {
            let told = explain(&sqlite(code)).to_string();
            assert!(told.contains(text), "{code}: {told}");
        };
        check(ffi::SQLITE_FULL, "the disk is full");
        check(ffi::SQLITE_IOERR_SHMSIZE, "the disk is full");
        check(ffi::SQLITE_READONLY_DIRECTORY, "read-only");
        check(ffi::SQLITE_CANTOPEN, "too many open files");
        check(ffi::SQLITE_NOTADB, "the store is damaged");
        check(ffi::SQLITE_CORRUPT, "restore a backup");
        check(ffi::SQLITE_IOERR_READ, "the disk reported an error");
        check(ffi::SQLITE_IOERR_FSYNC, "cannot be trusted any more");
    }

    #[test]
    fn only_a_sync_that_failed_is_not_tried_again() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        assert!(matches!(of_disk("write", &full()), Error::Unavailable(_)));
        let path = || std::path::PathBuf::from("blob");
        let unsynced = unwritten(consign_files::Error::Sync { path: path(), source: full() });
        assert!(matches!(of_disk("write", &unsynced), Error::Lost(_)));
        let passing = consign_files::Error::Io { doing: "write", path: path(), source: full() };
        let passing = of_disk("write", &unwritten(passing)).to_string();
        assert!(passing.contains("the disk is full"), "{passing}");
    }
}
