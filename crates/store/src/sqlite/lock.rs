//! Locks that the kernel lets go of when their holder dies.
//!
//! `flock` belongs to the open file, not to the process: two stores in one process keep each other
//! out as two processes do.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use super::fail::sync;

/// The right to write, for whoever [holds](WriteLock::hold) it.
///
/// SQLite has a lock of its own, but those who wait for it sleep and try again, so that the median
/// wait between busy processes is hundreds of milliseconds. The kernel queues and wakes.
#[derive(Debug)]
pub(crate) struct WriteLock {
    file: File,
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
        Ok(Self { file })
    }

    /// Gives the file a length, which needs no room on the disk, and syncs it.
    pub(crate) fn mark(&self) -> io::Result<()> {
        self.file.set_len(1)?;
        sync(&self.file)
    }

    /// Waits for its turn.
    pub(crate) fn hold(&self) -> io::Result<Held<'_>> {
        loop {
            match flock(&self.file, FlockOperation::LockExclusive) {
                Ok(()) => return Ok(Held { file: &self.file }),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
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
        let _ = flock(self.file, FlockOperation::Unlock);
    }
}

/// Takes the lock of a file if nobody has it. Says whether it did.
pub(crate) fn try_lock(file: &File) -> io::Result<bool> {
    without_waiting(file, FlockOperation::NonBlockingLockExclusive)
}

/// Likewise, but others may do the same at once: for those who only want to know.
pub(crate) fn try_lock_shared(file: &File) -> io::Result<bool> {
    without_waiting(file, FlockOperation::NonBlockingLockShared)
}

fn without_waiting(file: &File, how: FlockOperation) -> io::Result<bool> {
    match flock(file, how) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
