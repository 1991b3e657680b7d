//! The directory of a store, and the paths of what is in it.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use consign_files::trusted;

use super::fail::unwritten;

#[derive(Clone, Debug)]
pub(crate) struct StoreFolder {
    root: PathBuf,
}

impl StoreFolder {
    /// Names a directory as it is, without making anything.
    pub(crate) fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Makes the folders that are missing, readable for this user only.
    pub(crate) fn make(root: &Path) -> io::Result<Self> {
        let home = Self::at(root);
        for folder in [root, &home.workers(), &home.blobs()] {
            make_folder(folder)?;
        }
        Ok(home)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.root.join("consign.db")
    }

    /// The WAL: commits that SQLite has not yet copied into the database.
    pub(crate) fn wal(&self) -> PathBuf {
        self.root.join("consign.db-wal")
    }

    /// The file whose lock is the right to write. It also [marks](super::marker) the home.
    pub(crate) fn write_lock(&self) -> PathBuf {
        self.root.join("write.lock")
    }

    pub(crate) fn workers(&self) -> PathBuf {
        self.root.join("workers")
    }

    pub(crate) fn blobs(&self) -> PathBuf {
        self.root.join("blobs")
    }
}

/// The inodes that the names of the database and its WAL lead to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity([(u64, u64); 2]);

impl StoreFolder {
    pub(crate) fn identity(&self) -> io::Result<Identity> {
        let of = |path: PathBuf| fs::metadata(path).map(|file| (file.dev(), file.ino()));
        Ok(Identity([of(self.database())?, of(self.wal())?]))
    }
}

/// Makes a folder and those above it, for this user only, and syncs them so that they survive a
/// power cut.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    trusted::create_folders(folder, 0o700).map_err(unwritten)
}

/// Makes names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    trusted::sync_folder(folder).map_err(unwritten)
}

/// Removes a file that may be gone already.
pub(crate) fn remove(file: &Path) -> io::Result<()> {
    trusted::remove_file(file).map(drop).map_err(unwritten)
}
