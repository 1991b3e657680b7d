//! The errors of this crate.

use std::{fmt, io, path::PathBuf};

use rustix::io::Errno;

/// Why nothing was opened, read or written. Each has the whole path: the root's and the one below
/// it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The path is refused by its text alone; the disk was not read.
    #[error("{path:?} is not a path below a folder: {why}")]
    BadPath { path: PathBuf, why: BadPath },
    /// A link on the way leads out of the root.
    #[error("{path:?} leads out of its folder")]
    Outside { path: PathBuf },
    /// There is a link on the way or at the end, and this root follows none.
    #[error("{path:?} is a link or goes through one, and links are not followed")]
    Link { path: PathBuf },
    /// The links on the way are too many, or lead in a circle.
    #[error("{path:?} goes through too many links")]
    Loop { path: PathBuf },
    #[error("{path:?} does not exist")]
    Missing { path: PathBuf },
    /// It exists, and is a folder, a pipe, a socket or a device.
    #[error("{path:?} is not a regular file")]
    NotAFile { path: PathBuf },
    /// It, or something on the way to it, is not a folder.
    #[error("{path:?} is not a folder")]
    NotAFolder { path: PathBuf },
    /// The file has other names, which may be outside of the root: it is not changed in place.
    #[error("{path:?} has more than one name (hard links), and is not changed in place")]
    HardLinked { path: PathBuf },
    #[error("{path:?} is larger than {limit} bytes")]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("{path:?} already exists")]
    AlreadyExists { path: PathBuf },
    /// The system could not confirm that it is on the disk. A second try may succeed without having
    /// done anything, so a caller that needs it durable must not rely on one.
    #[error("could not make {path:?} durable")]
    Sync { path: PathBuf, source: io::Error },
    #[error("could not {doing} {path:?}")]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
}

/// What is wrong with the text of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadPath {
    Absolute,
    /// It has a `..`.
    Parent,
    Nul,
    TooLong,
    /// It is the root itself, where a name below it is needed.
    Nameless,
}

impl fmt::Display for BadPath {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::Absolute => "it is absolute",
            Self::Parent => "it has a `..`",
            Self::Nul => "it has a NUL byte",
            Self::TooLong => "it is too long",
            Self::Nameless => "it has no name",
        })
    }
}

impl Error {
    /// The matching kind of the standard library.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            Self::BadPath { .. } | Self::NotAFile { .. } | Self::HardLinked { .. } => {
                io::ErrorKind::InvalidInput
            }
            Self::TooLarge { .. } => io::ErrorKind::FileTooLarge,
            Self::Sync { source, .. } | Self::Io { source, .. } => source.kind(),
            Self::Outside { .. }
            | Self::Link { .. }
            | Self::Loop { .. }
            | Self::Missing { .. }
            | Self::NotAFolder { .. }
            | Self::AlreadyExists { .. } => {
                self.errno().map_or(io::ErrorKind::Other, |errno| errno.kind())
            }
        }
    }

    /// Whether there is nothing under that path.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    /// The system's error number, where there is one.
    fn errno(&self) -> Option<Errno> {
        match self {
            Self::Outside { .. } => Some(Errno::XDEV),
            Self::Link { .. } | Self::Loop { .. } => Some(Errno::LOOP),
            Self::Missing { .. } => Some(Errno::NOENT),
            Self::NotAFolder { .. } => Some(Errno::NOTDIR),
            Self::AlreadyExists { .. } => Some(Errno::EXIST),
            Self::BadPath { .. }
            | Self::NotAFile { .. }
            | Self::HardLinked { .. }
            | Self::TooLarge { .. }
            | Self::Sync { .. }
            | Self::Io { .. } => None,
        }
    }
}

/// The system's own error where there is one, so that its text is the usual one; the path is lost.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        if let Some(errno) = error.errno() {
            return errno.into();
        }
        match error {
            Error::Io { source, .. } | Error::Sync { source, .. } => source,
            Error::BadPath { .. }
            | Error::Outside { .. }
            | Error::Link { .. }
            | Error::Loop { .. }
            | Error::Missing { .. }
            | Error::NotAFile { .. }
            | Error::NotAFolder { .. }
            | Error::HardLinked { .. }
            | Error::TooLarge { .. }
            | Error::AlreadyExists { .. } => Self::new(error.kind(), error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_system_has_the_systems_words() {
        let path = || PathBuf::from("a");
        let check = |error: Error, number: i32| {
            let kind = error.kind();
            let told = io::Error::from(error);
            assert_eq!(told.to_string(), io::Error::from_raw_os_error(number).to_string());
            assert_eq!(told.kind(), kind);
        };
        check(Error::Missing { path: path() }, Errno::NOENT.raw_os_error());
        check(Error::NotAFolder { path: path() }, Errno::NOTDIR.raw_os_error());
        check(Error::Link { path: path() }, Errno::LOOP.raw_os_error());
        check(Error::Outside { path: path() }, Errno::XDEV.raw_os_error());
        check(Error::AlreadyExists { path: path() }, Errno::EXIST.raw_os_error());
        let full = || io::Error::from(Errno::NOSPC);
        let number = Errno::NOSPC.raw_os_error();
        check(Error::Io { doing: "write", path: path(), source: full() }, number);
        check(Error::Sync { path: path(), source: full() }, number);
        let large = io::Error::from(Error::TooLarge { path: path(), limit: 3 });
        assert_eq!(large.to_string(), "\"a\" is larger than 3 bytes");
    }

    #[test]
    fn a_path_cannot_forge_a_line_of_a_message() {
        let told = Error::Missing { path: PathBuf::from("a\n\u{1b}[31mb") }.to_string();
        assert_eq!(told, r#""a\n\u{1b}[31mb" does not exist"#);
    }
}
