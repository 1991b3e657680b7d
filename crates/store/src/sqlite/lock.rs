//! The write lock: a file lock that the kernel frees when its holder dies.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use consign_files::{Sharing, lock, sync_file, unlock};

use super::fail::unwritten;

/// The right to write, for as long as it is [held](WriteLock::hold).
///
/// SQLite has a lock of its own, but its waiters sleep and try again, so that the median wait
/// between busy processes is hundreds of milliseconds. The kernel queues and wakes.
#[derive(Debug)]
pub(crate) struct WriteLock {
    file: File,
    path: PathBuf,
}

impl WriteLock {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Gives the lock file a length, which needs no room on the disk, and syncs it.
    pub(crate) fn mark(&self) -> io::Result<()> {
        self.file.set_len(1)?;
        sync_file(&self.file, &self.path).map_err(unwritten)
    }

    /// Waits until the lock is free, and takes it.
    pub(crate) fn hold(&self) -> io::Result<Held<'_>> {
        lock(&self.file, Sharing::Exclusive)?;
        Ok(Held { file: &self.file })
    }
}

#[derive(Debug)]
#[must_use]
pub(crate) struct Held<'a> {
    file: &'a File,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // It cannot fail on an open file; if it did, the lock would go with the process.
        let _ = unlock(self.file);
    }
}
