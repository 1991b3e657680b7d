//! What is in a folder, and the metadata of files.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io,
    os::unix::ffi::OsStrExt,
    path::Path,
};

use rustix::fs::{AtFlags, Dir, FileType, Stat};

use crate::{Error, Links, Root, root::failed};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// A name in a folder, and what it stands for. It need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: OsString,
    pub kind: Kind,
}

/// Which file it is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

/// What is known of a file or folder without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    pub kind: Kind,
    pub bytes: u64,
    /// The rights: nine bits, and those for set-user-id, set-group-id and sticky.
    pub mode: u32,
    /// The user it belongs to.
    pub owner: u32,
    /// How many names it has (hard links).
    pub names: u64,
    pub id: FileId,
    /// When its content was last written, in nanoseconds since 1970. Any owner can set it to anything.
    pub modified: i64,
    /// When its content or anything about it was last changed, in nanoseconds since 1970, by the clock of the
    /// file system.
    pub changed: i64,
}

impl Root {
    /// The names in this folder, in no order, without `.` and `..`. Each is told by itself what is wrong
    /// with it.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be listed.
    pub fn entries(&self) -> Result<impl Iterator<Item = Result<Entry, Error>> + '_, Error> {
        let failed = |errno| self.failed("list", Path::new(""), errno);
        // It opens the folder anew, so that two who list it do not share a place in it.
        let dir = Dir::read_from(self).map_err(failed)?;
        let own = |name: &OsStr| name != "." && name != "..";
        Ok(dir.filter_map(move |entry| {
            let entry = match entry {
                Ok(entry) => entry,
                Err(errno) => return Some(Err(failed(errno))),
            };
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            own(name).then(|| {
                let told = entry.file_type();
                // Some file systems do not say.
                let kind = if told == FileType::Unknown {
                    self.metadata(name)?.kind
                } else {
                    Kind::of(told)
                };
                Ok(Entry { name: name.to_owned(), kind })
            })
        }))
    }
}

impl Root {
    /// What a path leads to, without a right to read it. Links that stay inside are followed for this,
    /// whatever [`following`](Self::following) says.
    ///
    /// # Errors
    /// [`Error::Outside`], [`Error::Loop`], [`Error::Missing`], and those of every path.
    pub fn look(&self, path: impl AsRef<Path>) -> Result<Metadata, Error> {
        let (path, clean) = (path.as_ref(), self.clean(path.as_ref())?);
        let told = |errno| failed("look at", &self.path().join(path), errno, Links::Inside);
        let found = self.open_following(&clean).map_err(told)?;
        rustix::fs::fstat(found).map(|about| Metadata::of(&about)).map_err(told)
    }
}

impl Kind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Self::Other,
        }
    }
}

impl FileId {
    /// Which file is open.
    ///
    /// # Errors
    /// Those of the system.
    pub fn of(file: &File) -> io::Result<Self> {
        Ok(Metadata::of(&rustix::fs::fstat(file)?).id)
    }

    /// The numbers of its device and of its inode.
    #[must_use]
    pub fn numbers(self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// Which file a path names, without following a link at its end.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        let about = rustix::fs::statat(rustix::fs::CWD, path, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Metadata::of(&about).id)
    }
}

impl Metadata {
    #[allow(clippy::useless_conversion, reason = "the widths differ between systems")]
    pub(crate) fn of(about: &Stat) -> Self {
        let mode = u32::from(about.st_mode);
        Self {
            kind: Kind::of(FileType::from_raw_mode(about.st_mode)),
            bytes: u64::try_from(about.st_size).unwrap_or(0),
            mode: mode & 0o7777,
            owner: about.st_uid,
            names: u64::try_from(about.st_nlink).unwrap_or(u64::MAX),
            id: FileId {
                device: u64::try_from(about.st_dev).unwrap_or(u64::MAX),
                inode: u64::try_from(about.st_ino).unwrap_or(u64::MAX),
            },
            modified: nanoseconds(about.st_mtime.into(), i64::try_from(about.st_mtime_nsec)),
            changed: nanoseconds(about.st_ctime.into(), i64::try_from(about.st_ctime_nsec)),
        }
    }

    /// Whether its owner may run it as a program.
    #[must_use]
    pub fn is_executable(&self) -> bool {
        self.kind == Kind::File && self.mode & 0o100 != 0
    }
}

/// Times that no number holds are the last one that it does.
fn nanoseconds<E>(seconds: i64, more: Result<i64, E>) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(more.unwrap_or(0))
}
