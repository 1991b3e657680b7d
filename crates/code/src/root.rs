//! The root of a repository, and the only way to open anything beneath it.
//!
//! A path is refused twice: by its words (absolute, `..`, a drive) and, whatever it says, by
//! [`consign_files`] when a link on the way leads out. Opening never waits. What a [`HiddenPaths`] hides is not
//! opened either, under any name.

use std::{io, path::Path};

use consign_files::{Kind, Links};

use crate::{Error, hidden_paths::HiddenPaths};

/// Longer paths are refused.
const LONGEST: usize = 4096;

pub(crate) struct Root {
    /// It follows links inside only where nothing is hidden, since where they lead has to be judged.
    files: consign_files::Root,
    /// `None` for a directory of git's own, all of which may be read.
    hidden: Option<HiddenPaths>,
}

/// A directory beneath the root, as a handle.
pub(crate) struct Dir(consign_files::Root);

/// What a directory has under a name. Links and the rest are neither.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    File,
    Directory,
    Other,
}

impl Root {
    pub(crate) fn open(root: &Path) -> Result<Self, Error> {
        let files = consign_files::Root::open(root).map_err(|error| Error::Root {
            root: root.display().to_string(),
            source: error.into(),
        })?;
        Ok(Self { files: files.following(Links::Inside), hidden: None })
    }

    /// This root, with paths that are not opened.
    pub(crate) fn with_hidden(self, hidden: HiddenPaths) -> Self {
        Self { files: self.files.following(Links::Refuse), hidden: Some(hidden) }
    }

    pub(crate) fn path(&self) -> &Path {
        self.files.path()
    }

    pub(crate) fn hidden(&self) -> Option<&HiddenPaths> {
        self.hidden.as_ref()
    }

    /// Opens a directory; the empty path is the root.
    pub(crate) fn dir(&self, path: &str) -> Result<Dir, Error> {
        let opened = self.beneath(path, |files, path| files.open_dir(path))?;
        let opened = opened.map_err(|error| {
            if matches!(error, consign_files::Error::NotAFolder { .. }) {
                Error::Unfit { path: path.to_owned(), expected: "directory" }
            } else {
                fault(path, error)
            }
        })?;
        Ok(Dir(opened.following(Links::Refuse)))
    }

    /// How large a file is.
    pub(crate) fn size(&self, path: &str) -> Result<u64, Error> {
        let opened = self.beneath(path, |files, path| files.open_file(path))?;
        let opened = opened.map_err(|error| fault(path, error))?;
        let about = opened.metadata();
        Ok(about.map_err(|source| Error::Read { path: path.to_owned(), source })?.len())
    }

    /// Reads a whole file into `into`, unless it is larger than `limit`.
    pub(crate) fn read(&self, path: &str, limit: u64, into: &mut Vec<u8>) -> Result<(), Error> {
        let read = self.beneath(path, |files, path| files.read_into(path, limit, into))?;
        read.map_err(|error| fault(path, error))
    }

    /// Whether a path may be mentioned, whether it exists or not. If its target cannot be found
    /// out, it is refused.
    pub(crate) fn admit(&self, path: &str) -> Result<(), Error> {
        use consign_files::Error as Of;
        match self.beneath(path, |files, path| files.open_file(path))? {
            Ok(_) | Err(Of::Missing { .. } | Of::NotAFolder { .. } | Of::NotAFile { .. }) => Ok(()),
            Err(Of::Outside { .. }) => Err(Error::Outside { path: path.to_owned() }),
            Err(_) => Err(Error::Hidden { path: path.to_owned() }),
        }
    }

    /// Opens a path beneath the root that is not hidden. The outer error says that it may
    /// not be opened, the inner one that it could not.
    fn beneath<T>(
        &self,
        path: &str,
        mut open: impl FnMut(&consign_files::Root, &Path) -> Result<T, consign_files::Error>,
    ) -> Result<Result<T, consign_files::Error>, Error> {
        let clean = clean(path)?;
        let Some(hidden) = &self.hidden else { return Ok(open(&self.files, Path::new(&clean))) };
        hidden.check(&clean, path)?;
        let opened = open(&self.files, Path::new(&clean));
        if !matches!(opened, Err(consign_files::Error::Link { .. })) {
            return Ok(opened);
        }
        // There is a link on the way. Where it leads is opened by its own name, so that what is judged is
        // what is read.
        match self.files.resolve(&clean) {
            Ok(there) => {
                let refused = || Error::Hidden { path: path.to_owned() };
                hidden.check(there.to_str().ok_or_else(refused)?, path)?;
                Ok(open(&self.files, &there))
            }
            Err(error) => Ok(Err(error)),
        }
    }
}

impl Dir {
    /// Names that are UTF-8 with what they are; an error for each of the others.
    pub(crate) fn entries(
        &self,
    ) -> io::Result<impl Iterator<Item = io::Result<(String, Entry)>> + '_> {
        Ok(self.0.entries()?.map(|entry| {
            let entry = entry?;
            let name = entry.name.into_string().map_err(|_| io::ErrorKind::InvalidData)?;
            let kind = match entry.kind {
                Kind::File => Entry::File,
                Kind::Folder => Entry::Directory,
                Kind::Link | Kind::Other => Entry::Other,
            };
            Ok((name, kind))
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
        self.0.read_into(name, limit, into).map_err(|error| fault(path, error))
    }
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

fn fault(path: &str, error: consign_files::Error) -> Error {
    use consign_files::Error as Of;
    let path = path.to_owned();
    match error {
        Of::Outside { .. } => Error::Outside { path },
        Of::Missing { .. } | Of::NotAFolder { .. } | Of::BadPath { .. } => Error::Missing { path },
        Of::NotAFile { .. } => Error::Unfit { path, expected: "file" },
        Of::TooLarge { limit, .. } => Error::TooLarge { path, limit },
        Of::Link { .. }
        | Of::Loop { .. }
        | Of::HardLinked { .. }
        | Of::AlreadyExists { .. }
        | Of::Sync { .. }
        | Of::Io { .. } => Error::Read { path, source: error.into() },
    }
}
