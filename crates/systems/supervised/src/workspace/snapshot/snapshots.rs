//! The folder of the snapshots of one job.

use std::path::Path;

use consign_files::{Access, Error as FilesError, Lock, Root, Sharing};

use super::{
    super::Error,
    tree::{Tree, TreeId},
};

const FOLDER: &str = ".snapshots";
/// 200,000 lines of the longest paths are longer; those of any project are not.
const LONGEST_TREE: u64 = 1 << 30;

/// How much a snapshot may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Files, folders and links.
    pub(super) entries: usize,
    /// Of all files together.
    pub(super) bytes: u64,
}

/// The snapshots of one job. It may be open more than once; only one at a time takes or lays.
#[derive(Debug)]
pub struct Snapshots {
    job: Root,
    pub(super) store: Root,
    pub(super) limits: Limits,
}

impl Snapshots {
    /// Opens the snapshots of a job, and makes their folder if it is not there: only its owner can look into it.
    ///
    /// # Errors
    /// The folder of the job is not there, or the other one cannot be made.
    pub fn open(job: &Path) -> Result<Self, Error> {
        let job = Root::open(job)?;
        job.create_dir_all(FOLDER, 0o700)?;
        job.set_mode(FOLDER, 0o700)?;
        let store = job.open_dir(FOLDER)?;
        for folder in ["objects", "trees", "unfinished"] {
            store.create_dir_all(folder, 0o700)?;
        }
        Ok(Self { job, store, limits: Limits { entries: 200_000, bytes: 4 << 30 } })
    }

    #[cfg(test)]
    pub(super) fn limited(self, entries: usize, bytes: u64) -> Self {
        Self { limits: Limits { entries, bytes }, ..self }
    }

    /// Whether there is such a snapshot, by its list alone.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub fn has(&self, id: &TreeId) -> Result<bool, Error> {
        match self.tree(id) {
            Ok(_) => Ok(true),
            Err(Error::NoSnapshot { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Keeps others from taking and laying until it is dropped.
    pub(super) fn lock(&self) -> Result<Lock, Error> {
        let path = || self.store.path().join("lock");
        let file = self.store.open_in_place("lock", Access::Private)?;
        let lock = Lock::try_on(file, Sharing::Exclusive).map_err(Error::io("lock", path()))?;
        lock.ok_or_else(|| Error::Busy { path: self.store.path().to_owned() })
    }

    pub(super) fn tree(&self, id: &TreeId) -> Result<Tree, Error> {
        match self.store.read(tree_path(id), LONGEST_TREE) {
            Ok(bytes) => Tree::read(*id, &bytes).ok_or(Error::DamagedTree { id: *id }),
            Err(error) if error.is_missing() => Err(Error::NoSnapshot { id: *id }),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a list durably, unless it is there. Its objects are settled already.
    pub(super) fn keep(&self, tree: &Tree) -> Result<TreeId, Error> {
        let (id, bytes) = tree.written();
        if bytes.len() as u64 > LONGEST_TREE {
            let path = self.store.path().join(tree_path(&id));
            return Err(FilesError::TooLarge { path, limit: LONGEST_TREE }.into());
        }
        let there = self.store.read(tree_path(&id), LONGEST_TREE);
        if !there.is_ok_and(|there| there == bytes) {
            self.store.write_atomic(tree_path(&id), &bytes, Access::Private)?;
        }
        // The folders may be new, too.
        self.store.sync()?;
        self.job.sync()?;
        Ok(id)
    }
}

pub(super) fn tree_path(id: &TreeId) -> String {
    format!("trees/{id}.json")
}
