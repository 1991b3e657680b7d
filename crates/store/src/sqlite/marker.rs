//! Tells a home whose database is gone from one that never had a store.
//!
//! The file of the write lock gets a length once the tables exist and are on the disk. A home that
//! was left half-made has a lock file without a length, and is made anew.

use std::{fs, io, path::Path};

use super::{
    fail::is_unsynced,
    lock::WriteLock,
    store_folder::{StoreFolder, sync_folder},
};

pub(crate) fn is_marked(home: &StoreFolder) -> io::Result<bool> {
    has_bytes(&home.write_lock())
}

/// Marks the home as one that has a store. The caller has seen its tables.
pub(crate) fn mark(home: &StoreFolder, lock: &WriteLock) -> io::Result<()> {
    // Whoever made the folders may have died before they were on the disk, and nobody who finds
    // them there would sync them again.
    sync_folder(home.root())?;
    for above in home.root().ancestors().skip(1) {
        match sync_folder(above) {
            Err(error) if is_unsynced(&error) => return Err(error),
            // One that we may not open was not made by us.
            Ok(()) | Err(_) => {}
        }
    }
    lock.mark()
}

/// Whether there was a store whose database is now missing or empty.
///
/// Every trace of a store appears after its database has a first page. So this looks for traces
/// first and at the database last, and never takes a store that is being made for one that is gone.
///
/// Call it before SQLite opens the file: SQLite removes a WAL that is beside an empty database.
pub(crate) fn is_gone(home: &StoreFolder) -> io::Result<bool> {
    let was_here = is_marked(home)? || has_bytes(&home.wal())? || has_files(&home.blobs())?;
    Ok(was_here && !has_bytes(&home.database())?)
}

pub(crate) fn has_bytes(file: &Path) -> io::Result<bool> {
    match fs::metadata(file) {
        Ok(file) => Ok(file.len() > 0),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether one of the folders in `folder` has a file.
fn has_files(folder: &Path) -> io::Result<bool> {
    let list = |folder: &Path| match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    };
    for folder in list(folder)? {
        if folder.is_dir() && !list(&folder)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
