//! Making, moving and removing single names beneath a root.
//!
//! None of these is durable by itself: [`Root::sync`] of the folder makes it so.

use std::{fs::File, path::Path};

use rustix::{
    fs::{AtFlags, Mode, OFlags, RenameFlags},
    io::Errno,
};

use crate::{Access, Error, Kind, Root};

impl Root {
    /// Makes a folder. Its rights are `mode`, less those of the umask.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`], also for a link, and those of every path.
    pub fn create_dir(&self, path: impl AsRef<Path>, mode: u32) -> Result<(), Error> {
        let path = path.as_ref();
        let (folder, name) = self.folder_of(path)?;
        rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(mode & 0o777))
            .map_err(|errno| self.unchanged("create", path, errno))
    }

    /// Makes a folder and those above it, beneath this root, unless they are there.
    ///
    /// # Errors
    /// [`Error::NotAFolder`] if something else is there, and those of every path.
    pub fn create_dir_all(&self, path: impl AsRef<Path>, mode: u32) -> Result<(), Error> {
        let path = path.as_ref();
        match self.open_dir(path) {
            Err(Error::Missing { .. }) => {}
            found => return found.map(|_| ()),
        }
        if let Some(above) = path.parent() {
            self.create_dir_all(above, mode)?;
        }
        match self.create_dir(path, mode) {
            // Another process was first. What it made has to be a folder all the same.
            Err(Error::AlreadyExists { .. }) => self.open_dir(path).map(|_| ()),
            made => made,
        }
    }

    /// Makes a file that is not there yet, and opens it to write. A crash may leave it half written:
    /// [`create_once`](Self::create_once) leaves it whole or not at all.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`], also for a link, and those of every path.
    pub fn create_new(&self, path: impl AsRef<Path>, access: Access) -> Result<File, Error> {
        let path = path.as_ref();
        let (folder, name) = self.folder_of(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&folder, name, flags | OFlags::NOFOLLOW, access.mode());
        let file = File::from(file.map_err(|errno| self.unchanged("create", path, errno))?);
        if let Err(source) = access.settle(&file) {
            let _ = rustix::fs::unlinkat(&folder, name, AtFlags::empty());
            return Err(self.io("create", path, source));
        }
        Ok(file)
    }

    /// Removes a file, or a link itself. Says whether there was one.
    ///
    /// # Errors
    /// [`Error::Io`] if it stays, and those of every path.
    pub fn remove_file(&self, path: impl AsRef<Path>) -> Result<bool, Error> {
        self.remove(path.as_ref(), AtFlags::empty())
    }

    /// Removes a folder that is empty. Says whether there was one.
    ///
    /// # Errors
    /// [`Error::Io`] if it stays, and those of every path.
    pub fn remove_dir(&self, path: impl AsRef<Path>) -> Result<bool, Error> {
        self.remove(path.as_ref(), AtFlags::REMOVEDIR)
    }

    fn remove(&self, path: &Path, flags: AtFlags) -> Result<bool, Error> {
        let removed = self.folder_of(path).and_then(|(folder, name)| {
            rustix::fs::unlinkat(&folder, name, flags)
                .map_err(|errno| self.unchanged("remove", path, errno))
        });
        match removed {
            Ok(()) => Ok(true),
            Err(Error::Missing { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Gives a file or folder another name beneath this root, in the place of a file that has it.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::Io`], and those of every path.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), Error> {
        let (from, to) = (from.as_ref(), to.as_ref());
        let (old, name) = self.folder_of(from)?;
        let (new, new_name) = self.folder_of(to)?;
        rustix::fs::renameat(&old, name, &new, new_name).map_err(|errno| match errno {
            Errno::EXIST => self.unchanged("rename", to, errno),
            errno => self.unchanged("rename", from, errno),
        })
    }

    /// Moves a file or folder from this root to another one, which is on the same file system, in the place of
    /// a file that has the new name there.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::Io`], and those of every path.
    pub fn rename_into(
        &self,
        from: impl AsRef<Path>,
        other: &Self,
        to: impl AsRef<Path>,
    ) -> Result<(), Error> {
        let from = from.as_ref();
        let (old, name) = self.folder_of(from)?;
        let (new, new_name) = other.folder_of(to.as_ref())?;
        rustix::fs::renameat(&old, name, &new, new_name)
            .map_err(|errno| self.unchanged("move", from, errno))
    }

    /// Gives a file or folder another name beneath this root, if nothing has that name.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] names the new path; also [`Error::Missing`], [`Error::Io`], and those of
    /// every path.
    pub fn rename_new(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), Error> {
        let (from, to) = (from.as_ref(), to.as_ref());
        let (old, name) = self.folder_of(from)?;
        let (new, new_name) = self.folder_of(to)?;
        let renamed = rustix::fs::renameat_with(&old, name, &new, new_name, RenameFlags::NOREPLACE);
        match renamed {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(self.unchanged("rename", to, Errno::EXIST)),
            // This file system has no such rename. A second name instead, and the first one removed.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                if self.metadata(from)?.kind == Kind::Folder {
                    return Err(self.unchanged("rename", from, Errno::OPNOTSUPP));
                }
                rustix::fs::linkat(&old, name, &new, new_name, AtFlags::empty())
                    .map_err(|errno| self.unchanged("rename", to, errno))?;
                rustix::fs::unlinkat(&old, name, AtFlags::empty())
                    .map_err(|errno| self.unchanged("rename", from, errno))
            }
            Err(errno) => Err(self.unchanged("rename", from, errno)),
        }
    }

    /// Makes the names in this folder durable: what was made, renamed and removed in it.
    ///
    /// # Errors
    /// [`Error::Sync`]; [`Error::Io`] where the file system cannot sync a folder at all.
    pub fn sync(&self) -> Result<(), Error> {
        rustix::fs::fsync(self).map_err(|errno| unsynced(self.path(), errno.into()))
    }
}

impl Root {
    /// Makes everything on the file system of this folder durable, also what others wrote. After many files it
    /// takes less time than each of them by itself. Only Linux waits until it is done.
    ///
    /// # Errors
    /// [`Error::Sync`].
    pub fn sync_everything(&self) -> Result<(), Error> {
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(self).map_err(|errno| unsynced(self.path(), errno.into()))?;
        #[cfg(not(target_os = "linux"))]
        rustix::fs::sync();
        Ok(())
    }
}

/// Makes what was written into an open file durable. `path` is what an error calls it.
///
/// # Errors
/// [`Error::Sync`]; [`Error::Io`] where the file system cannot sync at all.
pub fn sync_file(file: &File, path: &Path) -> Result<(), Error> {
    file.sync_all().map_err(|source| unsynced(path, source))
}

/// A sync that failed. Where a file system has no such thing, nothing was lost by it.
pub(crate) fn unsynced(path: &Path, source: std::io::Error) -> Error {
    use std::io::ErrorKind;
    let path = path.to_owned();
    if matches!(source.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) {
        Error::Io { doing: "sync", path, source }
    } else {
        Error::Sync { path, source }
    }
}
