//! A folder that is opened once by its handle, and access to everything beneath it.

use std::{
    fs::{self, File},
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, Mode, OFlags},
    io::Errno,
};

use crate::{
    Access, Error, FileId, Metadata,
    path::{relative, split},
    read::{fill, regular},
    resolve::{self, Links, Resolver},
};

/// A folder, by handle. Whatever is renamed or replaced, what it reaches is beneath the folder that was
/// opened.
///
/// Paths are relative to it, with `/`. An empty path, or `.`, is the folder itself. Absolute paths and
/// any `..` are refused ([`Error::BadPath`]). By default no link is followed ([`Links`]).
#[derive(Debug)]
pub struct Root {
    dir: OwnedFd,
    path: PathBuf,
    links: Links,
    resolver: Resolver,
}

/// A folder whose names can be listed, and synced.
const FOLDER: OFlags = OFlags::DIRECTORY;
/// Without waiting for who writes into a pipe, and without becoming the terminal's.
pub(crate) const CAREFULLY: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

impl Root {
    /// Opens a folder that the user names, or we do. Links on the way to it are followed, this once.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::NotAFolder`], or [`Error::Io`] where it cannot be read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let fault = |source: io::Error| match Errno::from_io_error(&source) {
            Some(errno) => failed("open", path, errno, Links::Inside),
            None => Error::Io { doing: "open", path: path.to_owned(), source },
        };
        let real = fs::canonicalize(path).map_err(fault)?;
        let dir = resolve::open_absolute(&real, FOLDER);
        let dir = dir.map_err(|errno| failed("open", path, errno, Links::Refuse))?;
        Ok(Self { dir, path: real, links: Links::default(), resolver: Resolver::default() })
    }

    /// Says which links are followed from now on.
    #[must_use]
    pub fn following(self, links: Links) -> Self {
        Self { links, ..self }
    }

    /// One that never asks the kernel to follow a path.
    #[cfg(test)]
    pub(crate) fn by_steps(self) -> Self {
        Self { resolver: Resolver::Steps, ..self }
    }

    /// Where it was when it was opened: absolute, without links. It is for messages, and for programs
    /// that need a path; opening something by it gives up what the handle is for.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder as a root of its own, which follows the same links. It can be locked and synced by
    /// itself.
    ///
    /// # Errors
    /// [`Error::NotAFolder`], and those of every path.
    pub fn open_dir(&self, path: impl AsRef<Path>) -> Result<Self, Error> {
        let (path, clean) = (path.as_ref(), self.clean(path.as_ref())?);
        let dir = self.open_clean(&clean, FOLDER, Mode::empty());
        let dir = dir.map_err(|errno| self.failed("open", path, errno))?;
        Ok(Self { dir, path: self.path.join(clean), ..*self })
    }

    /// Opens a regular file to read it. Nothing is waited for.
    ///
    /// # Errors
    /// [`Error::NotAFile`], and those of every path.
    pub fn open_file(&self, path: impl AsRef<Path>) -> Result<File, Error> {
        self.open_sized(path.as_ref()).map(|(file, _)| file)
    }

    fn open_sized(&self, path: &Path) -> Result<(File, u64), Error> {
        let clean = self.clean(path)?;
        let opened = self.open_clean(&clean, OFlags::RDONLY | CAREFULLY, Mode::empty());
        let opened = opened.map_err(|errno| match errno {
            // A socket, or a device that is not there.
            Errno::NXIO | Errno::NODEV => Error::NotAFile { path: self.path.join(path) },
            errno => self.failed("open", path, errno),
        })?;
        regular(opened.into(), || self.path.join(path))
    }

    /// Opens a regular file to read it and to change it where it is, and makes it if it is not there.
    /// What is changed in place can be half changed after a crash: [`write_atomic`](Self::write_atomic)
    /// is for whole files. From the rights of a new file the umask is taken, also of a private one.
    ///
    /// # Errors
    /// [`Error::HardLinked`] if the file has other names, [`Error::NotAFile`], and those of every path.
    pub fn open_in_place(&self, path: impl AsRef<Path>, access: Access) -> Result<File, Error> {
        let (path, clean) = (path.as_ref(), self.clean(path.as_ref())?);
        let flags = OFlags::RDWR | OFlags::CREATE | CAREFULLY;
        let whole = || self.path.join(path);
        let opened = self.open_clean(&clean, flags, access.mode());
        let opened = opened.map_err(|errno| match errno {
            Errno::NXIO | Errno::NODEV | Errno::ISDIR => Error::NotAFile { path: whole() },
            errno => self.failed("open", path, errno),
        })?;
        let (file, _) = regular(opened.into(), whole)?;
        let about = rustix::fs::fstat(&file).map_err(|errno| self.failed("open", path, errno))?;
        if about.st_nlink > 1 {
            return Err(Error::HardLinked { path: whole() });
        }
        Ok(file)
    }

    /// Reads a whole file, unless it has more than `limit` bytes.
    ///
    /// # Errors
    /// [`Error::TooLarge`], and those of [`open_file`](Self::open_file).
    pub fn read(&self, path: impl AsRef<Path>, limit: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.read_into(path, limit, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads a whole file in the place of what `bytes` held, unless it has more than `limit` bytes. After
    /// an error `bytes` may hold a part of it.
    ///
    /// # Errors
    /// [`Error::TooLarge`], and those of [`open_file`](Self::open_file).
    pub fn read_into(
        &self,
        path: impl AsRef<Path>,
        limit: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let path = path.as_ref();
        bytes.clear();
        let (file, size) = self.open_sized(path)?;
        fill(file, size, limit, bytes, || self.path.join(path))
    }

    /// What there is under a path, without opening it. A link at the end is not followed: it is what is
    /// told about.
    ///
    /// # Errors
    /// [`Error::Missing`], and those of every path.
    pub fn metadata(&self, path: impl AsRef<Path>) -> Result<Metadata, Error> {
        let path = path.as_ref();
        let about = if self.clean(path)?.as_os_str().is_empty() {
            rustix::fs::fstat(&self.dir)
        } else {
            let (folder, name) = self.folder_of(path)?;
            rustix::fs::statat(&folder.dir, name, AtFlags::SYMLINK_NOFOLLOW)
        };
        about
            .map(|about| Metadata::of(&about))
            .map_err(|errno| self.failed("read the metadata of", path, errno))
    }

    /// Whether a path still names the file that is open: not another one, and not a link to it.
    ///
    /// # Errors
    /// Those of every path; that nothing is there is none.
    pub fn is_at(&self, path: impl AsRef<Path>, file: &File) -> Result<bool, Error> {
        let path = path.as_ref();
        let ours =
            FileId::of(file).map_err(|source| self.io("read the metadata of", path, source))?;
        match self.metadata(path) {
            Ok(named) => Ok(named.id == ours),
            Err(Error::Missing { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Where a path leads: a path below this root that has no link in it. Links that stay inside are
    /// followed for this, whatever [`following`](Self::following) says. To judge a path by where it leads
    /// and then open exactly that, open the answer from a root that refuses links.
    ///
    /// # Errors
    /// [`Error::Outside`], [`Error::Loop`], [`Error::Missing`], and those of every path.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<PathBuf, Error> {
        let (path, clean) = (path.as_ref(), self.clean(path.as_ref())?);
        resolve::real(self.dir.as_fd(), &clean)
            .map_err(|errno| failed("follow", &self.path.join(path), errno, Links::Inside))
    }

    /// The handle alone, as a file.
    pub(crate) fn into_file(self) -> File {
        self.dir.into()
    }

    /// The folder that a path is in, and its name there.
    pub(crate) fn folder_of<'a>(
        &self,
        path: &'a Path,
    ) -> Result<(Self, &'a std::ffi::OsStr), Error> {
        let (folder, name) = split(path).map_err(|why| self.bad(path, why))?;
        let dir = self.open_clean(&folder, FOLDER, Mode::empty());
        let dir = dir.map_err(|errno| self.failed("open", path, errno))?;
        Ok((Self { dir, path: self.path.join(folder), ..*self }, name))
    }

    fn open_clean(&self, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        resolve::open(self.dir.as_fd(), path, flags, mode, self.links, self.resolver)
    }

    /// Opens what a path leads to, only to look at it. Links that stay inside are followed.
    pub(crate) fn open_following(&self, path: &Path) -> Result<OwnedFd, Errno> {
        let (flags, mode) = (resolve::TO_LOOK, Mode::empty());
        resolve::open(self.dir.as_fd(), path, flags, mode, Links::Inside, self.resolver)
    }

    pub(crate) fn clean(&self, path: &Path) -> Result<PathBuf, Error> {
        relative(path).map_err(|why| self.bad(path, why))
    }

    fn bad(&self, path: &Path, why: crate::BadPath) -> Error {
        // Not joined: an absolute one would take the root's place.
        Error::BadPath { path: path.to_owned(), why }
    }

    pub(crate) fn failed(&self, doing: &'static str, path: &Path, errno: Errno) -> Error {
        failed(doing, &self.path.join(path), errno, self.links)
    }

    /// What an error of the system means for a name that was to be changed in a folder that is open.
    pub(crate) fn unchanged(&self, doing: &'static str, path: &Path, errno: Errno) -> Error {
        match errno {
            // Another file system, which is mounted beneath the root.
            Errno::XDEV | Errno::LOOP => self.io(doing, path, errno.into()),
            errno => self.failed(doing, path, errno),
        }
    }

    pub(crate) fn io(&self, doing: &'static str, path: &Path, source: io::Error) -> Error {
        Error::Io { doing, path: self.path.join(path), source }
    }
}

impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

/// What an error of the system means for a path that was to be reached.
pub(crate) fn failed(doing: &'static str, path: &Path, errno: Errno, links: Links) -> Error {
    let path = path.to_owned();
    match errno {
        Errno::NOENT => Error::Missing { path },
        Errno::NOTDIR => Error::NotAFolder { path },
        Errno::XDEV => Error::Outside { path },
        Errno::EXIST => Error::AlreadyExists { path },
        Errno::LOOP => match links {
            Links::Refuse => Error::Link { path },
            Links::Inside => Error::Loop { path },
        },
        errno => Error::Io { doing, path, source: errno.into() },
    }
}
