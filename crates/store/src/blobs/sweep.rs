//! Finds files that have not been written or reused for a while. Whether a row still names such a
//! file is decided by the caller, not here.

use std::{
    fs::{self, DirEntry},
    io,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use super::{Blobs, Name};

/// A file that is older than the grace period.
#[derive(Debug)]
pub(crate) struct Stale {
    path: PathBuf,
    /// `None` for a file that was never finished.
    pub(crate) name: Option<Name>,
}

impl Blobs {
    pub(crate) fn stale(&self, grace: Duration) -> io::Result<Vec<Stale>> {
        let mut stale = Vec::new();
        for folder in fs::read_dir(&self.folder)? {
            let folder = folder?;
            if !folder.file_type()?.is_dir() {
                continue;
            }
            for file in fs::read_dir(folder.path())? {
                stale.extend(Stale::of(&file?, grace));
            }
        }
        Ok(stale)
    }
}

impl Stale {
    fn of(file: &DirEntry, grace: Duration) -> Option<Self> {
        let name = file.file_name();
        let name = name.to_str()?;
        // What is neither ours nor a draft of ours is left alone.
        let stale = Self { path: file.path(), name: Name::parse(name) };
        let ours = stale.name.is_some() || name.starts_with('.');
        (ours && stale.is_stale(grace)).then_some(stale)
    }

    /// Checks the age again, because the file may have been put again since.
    pub(crate) fn is_stale(&self, grace: Duration) -> bool {
        let put = fs::symlink_metadata(&self.path).and_then(|file| file.modified());
        // A file from the future is as new as can be.
        let age = put.ok().and_then(|put| SystemTime::now().duration_since(put).ok());
        age.is_some_and(|age| age >= grace)
    }

    pub(crate) fn remove(&self) -> io::Result<()> {
        crate::sqlite::remove(&self.path)
    }
}
