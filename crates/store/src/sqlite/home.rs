//! The directory that holds everything, and where in it things are.

use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

use super::fail::sync;

#[derive(Clone, Debug)]
pub(crate) struct Home {
    root: PathBuf,
}

impl Home {
    /// Takes it as it is.
    pub(crate) fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Makes what is missing, for this user's eyes only.
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

    /// What SQLite has not yet copied into the database.
    pub(crate) fn wal(&self) -> PathBuf {
        self.root.join("consign.db-wal")
    }

    /// Whoever has this file locked may write. It also [marks](super::marker) the home.
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

/// Which files the names of the database and its WAL lead to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity([(u64, u64); 2]);

impl Home {
    pub(crate) fn identity(&self) -> io::Result<Identity> {
        let of = |path: PathBuf| fs::metadata(path).map(|file| (file.dev(), file.ino()));
        Ok(Identity([of(self.database())?, of(self.wal())?]))
    }
}

/// Makes a folder and those above it, and sees to it that they outlast a power cut: what is written
/// in a folder is lost when the folder itself is.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let above = folder.parent().unwrap_or(Path::new(""));
    make_folder(above)?;
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !folder.is_dir() => {
            Err(error)
        }
        // Somebody else who made it at this moment may not have synced it yet.
        Ok(()) | Err(_) => sync_folder(above),
    }
}

/// Makes names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    sync(&File::open(folder)?)
}

/// Removes a file that may be gone already.
pub(crate) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
