//! Locks that the system frees when their holder ends, however it ends.
//!
//! `flock` belongs to the open file and not to the process: two handles in one process keep each other out
//! as two processes do. A lock has no effect on processes that do not ask for it.

use std::{fs::File, io, os::fd::AsFd, path::Path};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use crate::{Access, Error, FileId, Root, trusted};

/// A lock that is held until this is dropped or the process ends.
#[derive(Debug)]
#[must_use = "the lock is let go of when this is dropped"]
pub struct Lock {
    file: File,
}

/// Who else may have the lock at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// No other process.
    Exclusive,
    /// Others that share it: for processes that only check.
    Shared,
}

impl Lock {
    /// Takes the lock of a file that the user or we name, and makes the file if it is not there. None
    /// while another has it. The file stays when the lock is let go of; if it was removed or replaced
    /// meanwhile, the lock of the one that has the name is taken.
    ///
    /// # Errors
    /// [`Error::Link`] if it is a link, [`Error::NotAFile`], [`Error::Io`].
    pub fn try_file(path: &Path, access: Access) -> Result<Option<Self>, Error> {
        let failed = |source| Error::Io { doing: "lock", path: path.to_owned(), source };
        loop {
            let file = trusted::open_in_place(path, access)?;
            if !try_lock(&file, Sharing::Exclusive).map_err(failed)? {
                return Ok(None);
            }
            // A lock on a file that others cannot find would keep no one away.
            if trusted::is_at(path, &file).map_err(failed)? {
                return Ok(Some(Self { file }));
            }
        }
    }

    /// Takes the lock of an open file. None while another has it.
    ///
    /// # Errors
    /// Those of the system.
    pub fn try_on(file: File, sharing: Sharing) -> io::Result<Option<Self>> {
        Ok(try_lock(&file, sharing)?.then_some(Self { file }))
    }

    /// Takes the lock of an open file, and waits for it as long as it takes.
    ///
    /// # Errors
    /// Those of the system.
    pub fn wait_on(file: File, sharing: Sharing) -> io::Result<Self> {
        lock(&file, sharing)?;
        Ok(Self { file })
    }

    /// The locked file.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Which file is locked.
    ///
    /// # Errors
    /// Those of the system.
    pub fn id(&self) -> io::Result<FileId> {
        FileId::of(&self.file)
    }
}

impl Root {
    /// Takes the lock of the folder itself, so that no file is left behind in it. None while another has
    /// it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn try_lock(&self) -> Result<Option<Lock>, Error> {
        // By a handle of its own: this one may be shared, and its lock with it.
        let own = self.open_dir("")?;
        let failed = |source| self.io("lock", Path::new(""), source);
        Lock::try_on(own.into_file(), Sharing::Exclusive).map_err(failed)
    }
}

/// Takes the lock of an open file if no other has it. Says whether it did.
///
/// # Errors
/// Those of the system.
pub fn try_lock(file: impl AsFd, sharing: Sharing) -> io::Result<bool> {
    let how = match sharing {
        Sharing::Exclusive => FlockOperation::NonBlockingLockExclusive,
        Sharing::Shared => FlockOperation::NonBlockingLockShared,
    };
    loop {
        match flock(&file, how) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Takes the lock of an open file, and waits for it as long as it takes. The system queues those who wait.
///
/// # Errors
/// Those of the system.
pub fn lock(file: impl AsFd, sharing: Sharing) -> io::Result<()> {
    let how = match sharing {
        Sharing::Exclusive => FlockOperation::LockExclusive,
        Sharing::Shared => FlockOperation::LockShared,
    };
    loop {
        match flock(&file, how) {
            Ok(()) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Lets go of the lock of an open file. Closing the file does the same.
///
/// # Errors
/// Those of the system.
pub fn unlock(file: impl AsFd) -> io::Result<()> {
    Ok(flock(file, FlockOperation::Unlock)?)
}
