//! The root of a repository as a handle, and the only way to open anything beneath it.
//!
//! A path is refused twice: by its words (absolute, `..`, a drive) and, whatever it says, by the
//! kernel when a link on the way leads out. Opening never waits: a pipe without a writer would
//! hold us forever, so files are opened without blocking and looked at before they are read.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, File, OpenOptions},
};

use crate::Error;

/// Longer paths are not the work of people.
const LONGEST: usize = 4096;

pub(crate) struct Root {
    dir: Dir,
    path: PathBuf,
}

impl Root {
    pub(crate) fn open(root: &Path) -> Result<Self, Error> {
        let fault = |source| Error::Root { root: root.display().to_string(), source };
        let path = fs::canonicalize(root).map_err(fault)?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority()).map_err(fault)?;
        // A directory that may be entered and not read is of no use.
        dir.entries().map_err(fault)?;
        Ok(Self { dir, path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a directory; the empty path is the root.
    pub(crate) fn dir(&self, path: &str) -> Result<Dir, Error> {
        let clean = clean(path)?;
        if clean.is_empty() {
            return self.dir.try_clone().map_err(|source| fault(path, source));
        }
        self.dir.open_dir(&clean).map_err(|source| {
            if source.kind() == io::ErrorKind::NotADirectory {
                Error::Unfit { path: path.to_owned(), expected: "directory" }
            } else {
                fault(path, source)
            }
        })
    }

    /// How large a file is, without opening it.
    pub(crate) fn size(&self, path: &str) -> Result<u64, Error> {
        let about = self.dir.symlink_metadata(clean(path)?);
        about.map(|about| about.len()).map_err(|source| fault(path, source))
    }

    /// Reads a whole file into `into`, unless it is larger than `limit`.
    pub(crate) fn read(&self, path: &str, limit: u64, into: &mut Vec<u8>) -> Result<(), Error> {
        let clean = clean(path)?;
        read(&self.dir, &clean, path, limit, into)
    }
}

/// Reads a file of an open directory. `path` is what errors call it.
pub(crate) fn read(
    dir: &Dir,
    name: &str,
    path: &str,
    limit: u64,
    into: &mut Vec<u8>,
) -> Result<(), Error> {
    into.clear();
    let file = open(dir, name).map_err(|source| fault(path, source))?;
    let about = file.metadata().map_err(|source| fault(path, source))?;
    if !about.is_file() {
        return Err(Error::Unfit { path: path.to_owned(), expected: "file" });
    }
    let large = || Error::TooLarge { path: path.to_owned(), limit };
    if about.len() > limit {
        return Err(large());
    }
    into.reserve(usize::try_from(about.len()).unwrap_or(0).saturating_add(1));
    // It may have grown since, or be of the kind that says 0 and never ends.
    file.take(limit + 1).read_to_end(into).map_err(|source| fault(path, source))?;
    if into.len() as u64 > limit { Err(large()) } else { Ok(()) }
}

#[cfg(unix)]
fn open(dir: &Dir, name: &str) -> io::Result<File> {
    use cap_std::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).unwrap_or(0);
    dir.open_with(name, OpenOptions::new().read(true).custom_flags(flags))
}

#[cfg(not(unix))]
fn open(dir: &Dir, name: &str) -> io::Result<File> {
    dir.open_with(name, OpenOptions::new().read(true))
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
    // How cap-std says that a link leads out. A file that we have no permission for has a number.
    let refused = of == Of::PermissionDenied && source.raw_os_error().is_none();
    if refused || of == Of::CrossesDevices {
        Error::Outside { path }
    } else if of == Of::NotFound || of == Of::NotADirectory {
        Error::Missing { path }
    } else if of == Of::IsADirectory {
        Error::Unfit { path, expected: "file" }
    } else {
        Error::Read { path, source }
    }
}
