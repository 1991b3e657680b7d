//! Walks through folders, within limits, and only into those that the caller chooses.

use std::path::{Path, PathBuf};

use crate::{Entry, Error, Kind, Root};

/// The limits of a walk. An untrusted folder can have any shape.
#[derive(Clone, Copy, Debug)]
pub struct WalkLimits {
    /// Folders below folders: those in the root have depth 1.
    pub depth: usize,
    /// Names in one folder. The rest of it is left out, and [`Folder::is_cut`] says so.
    pub names: usize,
}

/// A walk through the folders of a root, which goes only where [`enter`](Self::enter) tells it to.
///
/// Links are not entered, so that there are no circles.
#[derive(Debug)]
pub struct Walk<'a> {
    root: &'a Root,
    limits: WalkLimits,
    /// The next one is the last.
    ahead: Vec<(PathBuf, usize)>,
}

/// A folder that a walk came to.
#[derive(Debug)]
pub struct Folder {
    /// Below the root of the walk. It is empty for the root itself.
    pub path: PathBuf,
    pub depth: usize,
    /// What is in it, by name.
    pub entries: Vec<Entry>,
    /// Some names are left out: there are too many, or the system failed to tell them.
    pub is_cut: bool,
    /// The folder itself, to look closer at what is in it.
    pub root: Root,
}

impl Root {
    /// Begins a walk. Its first folder is this root.
    #[must_use]
    pub fn walk(&self, limits: WalkLimits) -> Walk<'_> {
        Walk { root: self, limits, ahead: vec![(PathBuf::new(), 0)] }
    }
}

impl Walk<'_> {
    /// The next folder, or None when all that were entered were seen. The folders of one folder come in
    /// the order of their names, each with what is below it.
    pub fn next_folder(&mut self) -> Option<Result<Folder, (PathBuf, Error)>> {
        let (path, depth) = self.ahead.pop()?;
        Some(self.read(&path, depth).map_err(|error| (path, error)))
    }

    fn read(&self, path: &Path, depth: usize) -> Result<Folder, Error> {
        let root = self.root.open_dir(path)?;
        let (mut entries, mut is_cut) = (Vec::new(), false);
        for entry in root.entries()? {
            if entries.len() == self.limits.names {
                is_cut = true;
                break;
            }
            match entry {
                Ok(entry) => entries.push(entry),
                // Removed since it was listed.
                Err(Error::Missing { .. }) => {}
                Err(_) => {
                    is_cut = true;
                    break;
                }
            }
        }
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(Folder { path: path.to_owned(), depth, entries, is_cut, root })
    }

    /// Has the walk go into these folders of a folder that it gave, in this order. Says how many of them
    /// it will not enter: they are too deep, or no folders.
    pub fn enter<'e>(
        &mut self,
        folder: &Folder,
        entries: impl IntoIterator<Item = &'e Entry, IntoIter: DoubleEndedIterator>,
    ) -> usize {
        let mut refused = 0;
        for entry in entries.into_iter().rev() {
            if entry.kind == Kind::Folder && folder.depth < self.limits.depth {
                self.ahead.push((folder.path.join(&entry.name), folder.depth + 1));
            } else {
                refused += 1;
            }
        }
        refused
    }

    /// How many folders are still ahead.
    #[must_use]
    pub fn ahead(&self) -> usize {
        self.ahead.len()
    }
}
