//! The root of a project, and the three files of the bridge in it.
//!
//! The project may not be trusted: everything happens beneath the handle of its root, a link is never
//! followed, and a file that is not regular or too large is not read. Each file is replaced atomically:
//! others see the old one or the new one, complete.

mod once;

use std::{
    io,
    path::{Path, PathBuf},
};

use consign_files::{Access, Root};

/// Holds a project for one process. The system frees it when the process ends, however it ends.
pub use consign_files::Lock;
pub use once::Made;

/// The three files of the bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BridgeFile {
    State,
    Request,
    Response,
}

impl BridgeFile {
    pub const ALL: [Self; 3] = [Self::State, Self::Request, Self::Response];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::State => ".template-create-state.json",
            Self::Request => ".agent-request.json",
            Self::Response => ".agent-response.json",
        }
    }

    /// The most bytes that are read. A state carries whole template files.
    #[must_use]
    pub const fn most(self) -> u64 {
        match self {
            Self::State => 64 << 20,
            Self::Request => 1 << 20,
            Self::Response => 10_000_000,
        }
    }
}

/// Whether a file is the bridge's own: one of its files, one that was set aside, or half of a new one.
#[must_use]
pub(super) fn is_bridge(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    BridgeFile::ALL.iter().any(|file| name.starts_with(file.name()))
}

/// What can be wrong with the root or a file in it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path} is not a folder that can be read")]
    NotAFolder { path: PathBuf, source: io::Error },
    #[error("{name} is a link, and links are not followed")]
    Link { name: String },
    #[error("{name} is not a regular file")]
    NotAFile { name: String },
    #[error("{name} is larger than {most} bytes")]
    TooLarge { name: String, most: u64 },
    /// There is already such a file.
    #[error("{name} already exists")]
    Taken { name: String },
    #[error("another process is working on {path}")]
    Busy { path: PathBuf },
    #[error("could not {doing} {name}")]
    Io { doing: &'static str, name: String, source: io::Error },
}

/// A project's root, by handle.
#[derive(Debug)]
pub struct Folder {
    root: Root,
}

/// Only the user may read these files: prompts and answers quote the project's source.
const ACCESS: Access = Access::Private;

impl Folder {
    /// Opens the root. Links on the way to it are followed, once.
    ///
    /// # Errors
    /// [`Error::NotAFolder`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let root = Root::open(path)
            .map_err(|error| Error::NotAFolder { path: path.to_owned(), source: error.into() })?;
        Ok(Self { root })
    }

    /// The path of the root: absolute, without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Keeps every other process from working on the project. The folder itself is locked: no file
    /// is left behind in it.
    ///
    /// # Errors
    /// [`Error::Busy`] while another process holds it.
    pub fn lock(&self) -> Result<Lock, Error> {
        let lock = self.root.try_lock().map_err(|error| self.io("lock", "", error))?;
        lock.ok_or_else(|| Error::Busy { path: self.path().to_owned() })
    }

    /// The bridge files that exist, links included.
    #[must_use]
    pub fn present(&self) -> Vec<BridgeFile> {
        let there = |file: &BridgeFile| self.root.metadata(file.name()).is_ok();
        BridgeFile::ALL.into_iter().filter(there).collect()
    }

    /// Reads a file; `None` if there is none.
    ///
    /// # Errors
    /// Whatever is wrong with it.
    pub fn read(&self, file: BridgeFile) -> Result<Option<Vec<u8>>, Error> {
        use consign_files::Error as Of;
        let name = || file.name().to_owned();
        match self.root.read(file.name(), file.most()) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(Of::Missing { .. }) => Ok(None),
            Err(Of::Link { .. }) => Err(Error::Link { name: name() }),
            Err(Of::NotAFile { .. }) => Err(Error::NotAFile { name: name() }),
            Err(Of::TooLarge { limit, .. }) => Err(Error::TooLarge { name: name(), most: limit }),
            Err(error) => Err(self.io("read", file.name(), error)),
        }
    }

    /// Replaces a file, or creates it.
    ///
    /// # Errors
    /// The old file is then unchanged.
    pub fn write(&self, file: BridgeFile, bytes: &[u8]) -> Result<(), Error> {
        // What an earlier process left beside it is nobody's: whoever holds the lock may take it away.
        let written = self.root.write_atomic_by(file.name(), beside(file.name()), bytes, ACCESS);
        written.map_err(|error| self.io("write", file.name(), error))
    }

    /// Removes a file, if it exists. A link is removed itself.
    ///
    /// # Errors
    /// If it could not be removed.
    pub fn remove(&self, file: BridgeFile) -> Result<(), Error> {
        let removed = self.root.remove_file(file.name());
        if removed.map_err(|error| self.io("remove", file.name(), error))? {
            self.sync()?;
        }
        Ok(())
    }

    /// Removes temporary files that a crash may have left.
    pub fn sweep(&self) {
        for file in BridgeFile::ALL {
            let _ = self.root.remove_file(beside(file.name()));
        }
    }

    /// Removes all three files, the state last: as long as it exists, the others can be identified.
    ///
    /// # Errors
    /// If one could not be removed.
    pub fn clean(&self) -> Result<(), Error> {
        self.sweep();
        for file in [BridgeFile::Request, BridgeFile::Response, BridgeFile::State] {
            self.remove(file)?;
        }
        Ok(())
    }

    /// Renames the files that exist, and returns their new names.
    ///
    /// # Errors
    /// If one cannot be renamed. Those before it are.
    pub fn set_aside(&self, stamp: &str) -> Result<Vec<String>, Error> {
        let mut moved = Vec::new();
        for file in self.present() {
            let aside = format!("{}.{stamp}", file.name());
            match self.root.rename_new(file.name(), &aside) {
                Ok(()) => moved.push(aside),
                Err(consign_files::Error::Missing { .. }) => {}
                Err(error) => return Err(self.io("move aside", file.name(), error)),
            }
        }
        self.sync()?;
        Ok(moved)
    }

    fn sync(&self) -> Result<(), Error> {
        self.root.sync().map_err(|error| self.io("sync", "", error))
    }

    fn io(&self, doing: &'static str, name: &str, error: consign_files::Error) -> Error {
        Error::Io { doing, name: self.place(name), source: error.into() }
    }

    fn place(&self, name: &str) -> String {
        // Not joined with an empty name, which would add a slash.
        let place = if name.is_empty() { self.path().to_owned() } else { self.path().join(name) };
        place.display().to_string()
    }
}

/// Where a file is written before it is put into its place.
fn beside(name: &str) -> String {
    format!("{name}.new")
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        os::unix::fs::symlink,
    };

    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        (root, folder)
    }

    #[test]
    fn a_file_is_written_whole_and_nothing_is_left_beside_it() {
        let (root, folder) = folder();
        fs::write(root.path().join(".agent-request.json.new"), "half of ano").unwrap();
        folder.write(BridgeFile::Request, b"one").unwrap();
        folder.write(BridgeFile::Request, b"two").unwrap();
        assert_eq!(folder.read(BridgeFile::Request).unwrap().unwrap(), b"two");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
        folder.clean().unwrap();
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_link_is_neither_read_nor_written_through() {
        let (root, folder) = folder();
        let secret = root.path().join("secret");
        fs::write(&secret, "outside").unwrap();
        for file in BridgeFile::ALL {
            symlink(&secret, root.path().join(file.name())).unwrap();
            assert!(matches!(folder.read(file), Err(Error::Link { .. })), "{file:?}");
        }
        assert_eq!(folder.present().len(), 3);
        folder.write(BridgeFile::State, b"ours").unwrap();
        assert_eq!(fs::read_to_string(&secret).unwrap(), "outside");
        folder.clean().unwrap();
        assert!(secret.exists() && folder.present().is_empty());
    }

    #[test]
    fn what_is_no_plain_file_or_too_large_is_refused() {
        let (root, folder) = folder();
        fs::create_dir(root.path().join(BridgeFile::State.name())).unwrap();
        assert!(matches!(folder.read(BridgeFile::State), Err(Error::NotAFile { .. })));
        let large = File::create(root.path().join(BridgeFile::Response.name())).unwrap();
        large.set_len(11 << 20).unwrap();
        assert!(matches!(folder.read(BridgeFile::Response), Err(Error::TooLarge { .. })));
        assert_eq!(folder.read(BridgeFile::Request).unwrap(), None);
    }

    #[test]
    fn one_at_a_time_has_the_project() {
        let (root, folder) = folder();
        let held = folder.lock().unwrap();
        let other = Folder::open(root.path()).unwrap();
        assert!(matches!(other.lock(), Err(Error::Busy { .. })));
        drop(held);
        drop(other.lock().unwrap());
    }

    #[test]
    fn files_are_set_aside_and_never_over_others() {
        let (root, folder) = folder();
        fs::write(root.path().join(BridgeFile::State.name()), "old").unwrap();
        assert_eq!(folder.set_aside("aside").unwrap(), [".template-create-state.json.aside"]);
        fs::write(root.path().join(BridgeFile::State.name()), "newer").unwrap();
        assert!(folder.set_aside("aside").is_err());
        assert_eq!(folder.present(), [BridgeFile::State]);
    }
}
