//! The root of a repository as a handle, and the only way to open anything beneath it.
//!
//! A path is refused twice: by its words (absolute, `..`, a drive) and, whatever it says, by the
//! kernel when a link on the way leads out. Opening never waits: a pipe without a writer would
//! hold us forever, so files are opened without blocking and looked at before they are read. What a
//! [`Veil`] covers is not opened either, by whatever name it is called.

use std::{
    fs::{self, File},
    io::{self, Read},
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags},
    io::Errno,
};

use crate::{Error, veil::Veil};

/// Longer paths are not the work of people.
const LONGEST: usize = 4096;

pub(crate) struct Root {
    dir: Dir,
    path: PathBuf,
    /// Nothing for a directory of git's own, all of which may be read.
    veil: Option<Veil>,
}

/// A directory beneath the root, as a handle.
pub(crate) struct Dir(OwnedFd);

/// What a directory has under a name. Links and the rest are neither.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    File,
    Directory,
    Other,
}

/// Which links are followed on the way to a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    None,
    Beneath,
}

impl Root {
    pub(crate) fn open(root: &Path) -> Result<Self, Error> {
        let fault = |source| Error::Root { root: root.display().to_string(), source };
        let path = fs::canonicalize(root).map_err(fault)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir =
            rustix::fs::open(&path, flags, Mode::empty()).map_err(|errno| fault(errno.into()))?;
        Ok(Self { dir: Dir(dir), path, veil: None })
    }

    /// The same, with something that is not opened.
    pub(crate) fn veiled(self, veil: Veil) -> Self {
        Self { veil: Some(veil), ..self }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn veil(&self) -> Option<&Veil> {
        self.veil.as_ref()
    }

    /// Opens a directory; the empty path is the root.
    pub(crate) fn dir(&self, path: &str) -> Result<Dir, Error> {
        let opened = self.beneath(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
        opened.map(Dir).map_err(|errno| {
            if errno == Errno::NOTDIR {
                Error::Unfit { path: path.to_owned(), expected: "directory" }
            } else {
                fault(path, errno.into())
            }
        })
    }

    /// How large a file is.
    pub(crate) fn size(&self, path: &str) -> Result<u64, Error> {
        self.file(path).map(|(_, size)| size)
    }

    /// Reads a whole file into `into`, unless it is larger than `limit`.
    pub(crate) fn read(&self, path: &str, limit: u64, into: &mut Vec<u8>) -> Result<(), Error> {
        into.clear();
        fill(self.file(path)?, path, limit, into)
    }

    /// A file and how large it is.
    pub(crate) fn file(&self, path: &str) -> Result<(File, u64), Error> {
        let opened = self.beneath(path, FILE)?;
        regular(opened.map_err(|errno| fault(path, errno.into()))?, path)
    }

    /// Whether a path may be talked about, be it there or not. Where it leads cannot be told, nobody is
    /// led.
    pub(crate) fn admit(&self, path: &str) -> Result<(), Error> {
        match self.beneath(path, FILE)? {
            Ok(_) | Err(Errno::NOENT | Errno::NOTDIR) => Ok(()),
            Err(Errno::XDEV) => Err(Error::Outside { path: path.to_owned() }),
            Err(_) => Err(Error::Hidden { path: path.to_owned() }),
        }
    }

    /// Opens what is beneath the root and not behind the veil. The outer error says that it may not be
    /// opened, the inner one that it could not.
    fn beneath(&self, path: &str, flags: OFlags) -> Result<Result<OwnedFd, Errno>, Error> {
        let clean = clean(path)?;
        let at = self.dir.0.as_fd();
        let name = if clean.is_empty() { "." } else { &clean };
        let Some(veil) = &self.veil else { return Ok(open(at, name, flags, Links::Beneath)) };
        veil.check(&clean, path)?;
        let opened = open(at, name, flags, Links::None);
        if !matches!(opened, Err(Errno::LOOP)) {
            return Ok(opened);
        }
        // There is a link on the way. Where it leads is opened by its own name, so that what is judged is
        // what is read.
        match open(at, name, FILE, Links::Beneath) {
            Ok(there) => {
                let hidden = || Error::Hidden { path: path.to_owned() };
                let real = self.real(&there).ok_or_else(hidden)?;
                veil.check(&real, path)?;
                let real = if real.is_empty() { "." } else { &real };
                Ok(open(at, real, flags, Links::None))
            }
            Err(errno) => Ok(Err(errno)),
        }
    }

    /// The path of something open, without links. Nothing if it cannot be told or is no text.
    fn real(&self, of: &OwnedFd) -> Option<String> {
        let name = format!("/proc/self/fd/{}", of.as_raw_fd());
        let real = fs::read_link(name).ok()?;
        Some(real.strip_prefix(&self.path).ok()?.to_str()?.to_owned())
    }
}

/// How files are opened: without waiting for whoever writes into a pipe, and without becoming the
/// terminal's.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

impl Dir {
    /// Names that are UTF-8 with what they are; an error for each of the others.
    pub(crate) fn entries(
        &self,
    ) -> io::Result<impl Iterator<Item = io::Result<(String, Entry)>> + '_> {
        let dir = rustix::fs::Dir::read_from(&self.0)?;
        let entries = dir.filter(|entry| {
            entry.as_ref().map_or(true, |entry| ![c".", c".."].contains(&entry.file_name()))
        });
        Ok(entries.map(|entry| {
            let entry = entry?;
            let name = entry.file_name();
            let mut kind = entry.file_type();
            // Some file systems do not say.
            if kind == FileType::Unknown {
                let about = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
                kind = FileType::from_raw_mode(about.st_mode);
            }
            let name = name.to_str().map_err(|_| Errno::ILSEQ)?.to_owned();
            let entry = if kind == FileType::RegularFile {
                Entry::File
            } else if kind == FileType::Directory {
                Entry::Directory
            } else {
                Entry::Other
            };
            Ok((name, entry))
        }))
    }

    /// Reads a file that is in it under this name, and is no link. `path` is what errors call it.
    pub(crate) fn read(
        &self,
        name: &str,
        path: &str,
        limit: u64,
        into: &mut Vec<u8>,
    ) -> Result<(), Error> {
        into.clear();
        let opened = open(self.0.as_fd(), name, FILE, Links::None);
        let file = regular(opened.map_err(|errno| fault(path, errno.into()))?, path)?;
        fill(file, path, limit, into)
    }
}

fn regular(opened: OwnedFd, path: &str) -> Result<(File, u64), Error> {
    let file = File::from(opened);
    let about = file.metadata().map_err(|source| fault(path, source))?;
    if !about.is_file() {
        return Err(Error::Unfit { path: path.to_owned(), expected: "file" });
    }
    Ok((file, about.len()))
}

fn fill(
    (file, size): (File, u64),
    path: &str,
    limit: u64,
    into: &mut Vec<u8>,
) -> Result<(), Error> {
    let large = || Error::TooLarge { path: path.to_owned(), limit };
    if size > limit {
        return Err(large());
    }
    into.reserve(usize::try_from(size).unwrap_or(0).saturating_add(1));
    // It may have grown since, or be of the kind that says 0 and never ends.
    file.take(limit + 1).read_to_end(into).map_err(|source| fault(path, source))?;
    if into.len() as u64 > limit { Err(large()) } else { Ok(()) }
}

/// Opens beneath a directory. Links that stay beneath it are followed or, if none may be, `LOOP`; others
/// are `XDEV`.
#[cfg(target_os = "linux")]
fn open(dir: BorrowedFd<'_>, path: &str, flags: OFlags, links: Links) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = match links {
        Links::None => ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS,
        Links::Beneath => ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS,
    };
    // Somebody who renames directories meanwhile makes the kernel unsure; it says so and is asked again.
    for _ in 0..16 {
        match openat2(dir, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            // Old kernels do not have it, and some sandboxes refuse what they do not know.
            Err(Errno::NOSYS | Errno::PERM) => return step(dir, path, flags),
            other => return other,
        }
    }
    Err(Errno::AGAIN)
}

#[cfg(not(target_os = "linux"))]
fn open(dir: BorrowedFd<'_>, path: &str, flags: OFlags, _: Links) -> Result<OwnedFd, Errno> {
    step(dir, path, flags)
}

/// The same, one name at a time. It follows no link at all: those are `XDEV` wherever they lead.
fn step(dir: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let careful = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut at: Option<OwnedFd> = None;
    let down = |at: &Option<OwnedFd>, name: &str, flags| {
        let from = at.as_ref().map_or(dir, AsFd::as_fd);
        rustix::fs::openat(from, name, flags | careful, Mode::empty()).map_err(|errno| {
            // For a link where a directory was wanted, systems do not agree on the word.
            let link = rustix::fs::statat(from, name, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|about| FileType::from_raw_mode(about.st_mode) == FileType::Symlink);
            if link { Errno::XDEV } else { errno }
        })
    };
    for name in above.split('/').filter(|name| !name.is_empty()) {
        at = Some(down(&at, name, OFlags::RDONLY | OFlags::DIRECTORY)?);
    }
    down(&at, name, flags)
}

/// The path without `.` and doubled slashes, or why it may not be used.
pub(crate) fn clean(path: &str) -> Result<String, Error> {
    let outside = || Error::Outside { path: path.to_owned() };
    if path.len() > LONGEST || path.contains('\0') {
        return Err(Error::Missing { path: path.chars().take(100).collect() });
    }
    // Elsewhere than on Windows these could be names; nobody who means well uses them.
    let drive = path.as_bytes().get(1) == Some(&b':')
        && path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    if path.starts_with('/') || path.starts_with('\\') || drive {
        return Err(outside());
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            _ if part.split('\\').any(|piece| piece == "..") => return Err(outside()),
            _ => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

fn fault(path: &str, source: io::Error) -> Error {
    use io::ErrorKind as Of;
    let (path, of) = (path.to_owned(), source.kind());
    if of == Of::CrossesDevices {
        Error::Outside { path }
    } else if of == Of::NotFound || of == Of::NotADirectory {
        Error::Missing { path }
    } else if of == Of::IsADirectory {
        Error::Unfit { path, expected: "file" }
    } else {
        Error::Read { path, source }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn one_name_at_a_time_follows_no_link() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("root");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/c"), "inside").unwrap();
        fs::write(home.path().join("secret"), "outside").unwrap();
        symlink(home.path(), root.join("out")).unwrap();
        symlink("../../../secret", root.join("a/b/link")).unwrap();
        let root = Root::open(&root).unwrap();
        let open = |path, flags| step(root.dir.0.as_fd(), path, flags).map(|_| ());
        assert_eq!(open("a/b/c", OFlags::RDONLY), Ok(()));
        assert_eq!(open("a/b", OFlags::RDONLY | OFlags::DIRECTORY), Ok(()));
        assert_eq!(open(".", OFlags::RDONLY | OFlags::DIRECTORY), Ok(()));
        assert_eq!(open("out/secret", OFlags::RDONLY), Err(Errno::XDEV));
        assert_eq!(open("a/b/link", OFlags::RDONLY), Err(Errno::XDEV));
        assert_eq!(open("a/b/none", OFlags::RDONLY), Err(Errno::NOENT));
        assert_eq!(open("a/b/c/d", OFlags::RDONLY), Err(Errno::NOTDIR));
    }
}
