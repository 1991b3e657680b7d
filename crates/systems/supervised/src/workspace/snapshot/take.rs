//! Keeps a workspace as it is.
//!
//! The walk enters folders and opens files by handle, and looks at what it opened, not at what had the name before. The
//! workspace is not changed by it: a folder that its owner has closed is opened for the walk and closed again.

use std::path::{Path, PathBuf};

use consign_files::{Entry, Error as FilesError, Folder, Kind, Root, Walk, WalkLimits};

use super::{
    super::{Error, name},
    access,
    cache::{self, Cache, Stamp},
    objects::{Objects, Stored},
    snapshots::{Limits, Snapshots},
    tree::{Node, Tree, TreeId, kept_mode},
};

/// So often a name is looked at again that was another thing when it was opened.
const TRIES: usize = 4;
/// The system takes no longer path.
const LONGEST_PATH: usize = 4095;

/// A snapshot that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub id: TreeId,
    /// Pipes, sockets and devices: they are not in the snapshot.
    pub left_out: Vec<String>,
    /// How many files, folders and links it has.
    pub entries: usize,
    /// How many bytes its files have.
    pub bytes: u64,
    /// How many files had to be read; the others were known to be as they had been.
    pub read: u64,
    /// How many contents are new.
    pub stored: u64,
}

impl Snapshots {
    /// Takes a snapshot of all that is in a workspace: hidden and ignored files, empty folders and links too. It is
    /// durable when this returns. The same content gives the same id. A file that is written meanwhile is in the
    /// snapshot as it was read.
    ///
    /// # Errors
    /// The workspace is too large, or something in it cannot be read; the error names it.
    pub fn take(&self, workspace: &Path) -> Result<Taken, Error> {
        let _lock = self.lock()?;
        let cache = Cache::load(&self.store);
        let mut taking = Taking {
            limits: self.limits,
            now: cache::now(&self.store)?,
            known: &cache,
            cache: Cache::default(),
            objects: Objects::new(&self.store),
            tree: Tree::default(),
            left_out: Vec::new(),
            opened: Vec::new(),
            bytes: 0,
            read: 0,
        };
        taking.objects.tidy()?;
        let (above, name) = access::workspace(workspace)?;
        // From here on nothing returns before the rights are restored.
        let (root, closed) = access::enter(&above, name)?;
        let walked = taking.walk(&root);
        let restored = taking.restore(&root);
        if let Some(mode) = closed {
            above.set_mode(name, mode)?;
        }
        walked?;
        restored?;
        taking.objects.settle()?;
        let id = self.keep(&taking.tree)?;
        taking.cache.save(&self.store, &cache);
        let Taking { tree, objects, left_out, bytes, read, .. } = taking;
        Ok(Taken { id, left_out, entries: tree.len(), bytes, read, stored: objects.stored })
    }
}

struct Taking<'a> {
    limits: Limits,
    /// When the walk began.
    now: Stamp,
    known: &'a Cache,
    /// For the next walk.
    cache: Cache,
    objects: Objects<'a>,
    tree: Tree,
    left_out: Vec<String>,
    /// Folders that were closed, and their rights.
    opened: Vec<(PathBuf, u32)>,
    bytes: u64,
    read: u64,
}

impl Taking<'_> {
    fn walk(&mut self, root: &Root) -> Result<(), Error> {
        let most = self.limits.entries;
        let mut walk = root.walk(WalkLimits { depth: usize::MAX, names: most.saturating_add(1) });
        while let Some(folder) = walk.next_folder() {
            let folder = match folder {
                Ok(folder) => folder,
                Err((path, FilesError::Missing { .. })) => {
                    self.tree.remove(&path);
                    continue;
                }
                Err((path, FilesError::Link { .. } | FilesError::NotAFolder { .. })) => {
                    return Err(Error::Unsteady { path: name::written(path) });
                }
                Err((_, error)) => return Err(error.into()),
            };
            if folder.entries.len() > most {
                return Err(Error::TooMany { most });
            }
            if folder.is_cut {
                return Err(Error::Unsteady { path: name::written(&folder.path) });
            }
            for entry in &folder.entries {
                self.entry(&mut walk, &folder, entry)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, walk: &mut Walk<'_>, folder: &Folder, entry: &Entry) -> Result<(), Error> {
        let path = folder.path.join(&entry.name);
        if path.as_os_str().len() > LONGEST_PATH {
            return Err(Error::TooLong { path: name::written(path) });
        }
        if self.tree.len() + self.left_out.len() >= self.limits.entries {
            return Err(Error::TooMany { most: self.limits.entries });
        }
        for _ in 0..TRIES {
            match self.look(walk, folder, entry, &path) {
                // It has gone meanwhile.
                Err(Error::Files(FilesError::Missing { .. })) => return Ok(()),
                // It was another kind of thing when it was opened.
                Err(Error::Files(
                    FilesError::Link { .. }
                    | FilesError::NotAFile { .. }
                    | FilesError::NotAFolder { .. },
                )) => {}
                looked => return looked,
            }
        }
        Err(Error::Unsteady { path: name::written(path) })
    }

    fn look(
        &mut self,
        walk: &mut Walk<'_>,
        folder: &Folder,
        entry: &Entry,
        path: &Path,
    ) -> Result<(), Error> {
        let about = folder.root.metadata(&entry.name)?;
        let node = match about.kind {
            Kind::Other => {
                self.left_out.push(name::written(path));
                return Ok(());
            }
            Kind::Link => {
                let target = folder.root.read_link(&entry.name)?;
                let target =
                    target.ok_or_else(|| FilesError::NotAFile { path: path.to_owned() })?;
                Node::Link { target: name::written(target) }
            }
            Kind::Folder => {
                let (_, closed) = access::enter(&folder.root, &entry.name)?;
                self.opened.extend(closed.map(|mode| (path.to_owned(), mode)));
                walk.enter(folder, [&Entry { name: entry.name.clone(), kind: Kind::Folder }]);
                Node::Folder { mode: kept_mode(about.mode) }
            }
            Kind::File => {
                let mode = kept_mode(about.mode);
                let (digest, bytes) = match self.known.get(path, &Stamp::of(&about)) {
                    Some(digest) if self.objects.has(&digest)? => {
                        self.fits(path, about.bytes)?;
                        self.cache.remember(path, Stamp::of(&about), digest, &self.now);
                        (digest, about.bytes)
                    }
                    _ => self.read(folder, entry, path)?,
                };
                self.bytes += bytes;
                Node::File { mode, digest, bytes }
            }
        };
        self.tree.insert(path.to_owned(), node);
        Ok(())
    }

    fn read(
        &mut self,
        folder: &Folder,
        entry: &Entry,
        path: &Path,
    ) -> Result<(super::digest::Digest, u64), Error> {
        let mut file = access::open_file(&folder.root, &entry.name)?;
        let whole = folder.root.path().join(&entry.name);
        let stamp = |file: &_| {
            Stamp::of_file(file).map_err(Error::io("read the metadata of", whole.as_path()))
        };
        let before = stamp(&file)?;
        self.fits(path, before.bytes)?;
        let left = self.limits.bytes - self.bytes;
        match self.objects.store(&mut file, left, &whole)? {
            Stored::TooLarge => Err(self.too_large(path)),
            Stored::As { digest, bytes } => {
                self.read += 1;
                if stamp(&file)? == before {
                    self.cache.remember(path, before, digest, &self.now);
                }
                Ok((digest, bytes))
            }
        }
    }

    fn fits(&self, path: &Path, bytes: u64) -> Result<(), Error> {
        if bytes <= self.limits.bytes - self.bytes { Ok(()) } else { Err(self.too_large(path)) }
    }

    fn too_large(&self, path: &Path) -> Error {
        Error::TooLarge { path: name::written(path), most: self.limits.bytes }
    }

    /// Closes the folders again that were opened: what is below a folder first.
    fn restore(&mut self, root: &Root) -> Result<(), Error> {
        let mut worst = Ok(());
        for (path, mode) in self.opened.drain(..).rev() {
            match root.set_mode(path, mode) {
                Ok(()) | Err(FilesError::Missing { .. }) => {}
                Err(error) => worst = Err(error.into()),
            }
        }
        worst
    }
}
