//! Makes a workspace what it was.
//!
//! First everything goes that the snapshot does not have, then what is missing or differs is written, then folders get
//! their rights. Each of these looks at what is there, so after a crash it is enough to begin again.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs::Permissions,
    io::{ErrorKind, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use consign_files::{Access, Entry, Error as FilesError, Kind, Metadata, Root};

use super::{
    super::{Error, name},
    access,
    cache::{Cache, Stamp},
    digest::Digest,
    objects::Objects,
    remove::Removal,
    snapshots::Snapshots,
    tree::{Node, Tree, TreeId},
};

impl Snapshots {
    /// Makes a workspace what it was when the snapshot was taken, durably: content, links, empty folders, rights. What
    /// is equal is left alone. The folder of the workspace is made if it is gone; its own rights are not part of a
    /// snapshot.
    ///
    /// # Errors
    /// There is no such snapshot, what it needs is damaged, or the workspace cannot be changed. The workspace may be
    /// partly laid; laying again completes it.
    pub fn lay(&self, id: &TreeId, workspace: &Path) -> Result<(), Error> {
        let _lock = self.lock()?;
        let tree = self.tree(id)?;
        let (above, name) = access::workspace(workspace)?;
        match above.metadata(name) {
            Ok(about) if about.kind == Kind::Folder => access::open_up(&above, name, about.mode)?,
            // Something else is there: opening it says what.
            Ok(_) => {}
            Err(FilesError::Missing { .. }) => above.create_dir(name, 0o755)?,
            Err(error) => return Err(error.into()),
        }
        let root = above.open_dir(name)?;
        let mut laying = Laying {
            root: &root,
            tree: &tree,
            cache: Cache::load(&self.store),
            objects: Objects::new(&self.store),
            right: HashSet::new(),
            is_changed: false,
        };
        laying.clear()?;
        laying.write()?;
        laying.close()?;
        if laying.is_changed {
            root.sync_everything()?;
        }
        Ok(())
    }
}

struct Laying<'a> {
    root: &'a Root,
    tree: &'a Tree,
    cache: Cache,
    objects: Objects<'a>,
    /// What is there and as it should be. A folder's rights come last.
    right: HashSet<PathBuf>,
    is_changed: bool,
}

impl Laying<'_> {
    /// Removes all that is not in the snapshot or is another kind of thing there, and finds what is right.
    fn clear(&mut self) -> Result<(), Error> {
        let mut removal = Removal::new(self.root);
        let mut ahead = vec![PathBuf::new()];
        while let Some(path) = ahead.pop() {
            let folder = self.root.open_dir(&path)?;
            let entries: Vec<Entry> = folder.entries()?.collect::<Result<_, _>>()?;
            for Entry { name, .. } in entries {
                let about = match folder.metadata(&name) {
                    Ok(about) => about,
                    Err(FilesError::Missing { .. }) => continue,
                    Err(error) => return Err(error.into()),
                };
                let at = path.join(&name);
                let node = self.tree.get(&at);
                let is_right = match node {
                    Some(node) => self.is_right(&folder, &name, &about, &at, node)?,
                    None => false,
                };
                match node {
                    Some(node) if is_right => {
                        if matches!(node, Node::Folder { .. }) {
                            ahead.push(at.clone());
                        }
                        self.right.insert(at);
                    }
                    // The new one takes its place.
                    Some(Node::File { .. }) if about.kind == Kind::File => {}
                    _ => {
                        self.is_changed = true;
                        removal.remove(&folder, &name, about.kind)?;
                    }
                }
            }
        }
        removal.end()
    }

    fn is_right(
        &mut self,
        folder: &Root,
        name: &OsStr,
        about: &Metadata,
        path: &Path,
        node: &Node,
    ) -> Result<bool, Error> {
        match (node, about.kind) {
            (Node::Folder { .. }, Kind::Folder) => {
                access::open_up(folder, name, about.mode)?;
                Ok(true)
            }
            (Node::Link { target }, Kind::Link) => {
                let found = folder.read_link(name)?;
                Ok(found.is_some_and(|found| name::written(found) == *target))
            }
            (Node::File { mode, digest, bytes }, Kind::File) => {
                if about.bytes != *bytes || self.digest(folder, name, about, path)? != Some(*digest)
                {
                    return Ok(false);
                }
                if about.mode == *mode {
                    return Ok(true);
                }
                // The other names of the file may be outside, and have the same rights.
                if about.names > 1 {
                    return Ok(false);
                }
                self.is_changed = true;
                folder.set_mode(name, *mode)?;
                Ok(true)
            }
            (Node::Folder { .. } | Node::Link { .. } | Node::File { .. }, _) => Ok(false),
        }
    }

    /// The digest of a file that is there. None if it cannot be read.
    fn digest(
        &self,
        folder: &Root,
        name: &OsStr,
        about: &Metadata,
        path: &Path,
    ) -> Result<Option<Digest>, Error> {
        let known = self.cache.get(path, &Stamp::of(about));
        if known.is_some() {
            return Ok(known);
        }
        let file = match access::open_file(folder, name) {
            Ok(file) => file,
            Err(FilesError::Io { source, .. }) if source.kind() == ErrorKind::PermissionDenied => {
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        let read = Digest::read(file, about.bytes);
        let (digest, _) = read.map_err(Error::io("read", folder.path().join(name)))?;
        Ok(Some(digest))
    }

    /// Writes what is missing or differs: a folder before what is in it.
    fn write(&mut self) -> Result<(), Error> {
        for (path, node) in self.tree.iter().filter(|(path, _)| !self.right.contains(*path)) {
            self.is_changed = true;
            match node {
                Node::Folder { .. } => self.root.create_dir(path, 0o700)?,
                Node::Link { target } => {
                    let target = name::read(target).unwrap_or_default();
                    self.root.create_link(path, target)?;
                }
                Node::File { mode, digest, bytes } => self.fill(path, *mode, digest, *bytes)?,
            }
        }
        Ok(())
    }

    /// Writes a file beside its place, and gives it its name when it is whole and its content is the right one.
    fn fill(&self, path: &Path, mode: u32, digest: &Digest, bytes: u64) -> Result<(), Error> {
        let name = path.file_name().unwrap_or_default();
        let folder = self.root.open_dir(path.parent().unwrap_or(Path::new("")))?;
        let (draft, mut file) = draft(&folder)?;
        let written = self.objects.copy(digest, bytes, path, |chunk| {
            file.write_all(chunk).map_err(Error::io("write", folder.path().join(name)))
        });
        let placed = written.and_then(|()| {
            file.set_permissions(Permissions::from_mode(mode))
                .map_err(Error::io("change the rights of", folder.path().join(name)))?;
            Ok(folder.rename(&draft, name)?)
        });
        if placed.is_err() {
            // What went wrong is what the caller is told.
            let _ = folder.remove_file(&draft);
        }
        placed
    }

    /// Gives the folders their rights: what is below a folder first, because a folder may be closed by it.
    fn close(&mut self) -> Result<(), Error> {
        for (path, node) in self.tree.iter().rev() {
            if let Node::Folder { mode } = node
                && self.root.metadata(path)?.mode != *mode
            {
                self.is_changed = true;
                self.root.set_mode(path, *mode)?;
            }
        }
        Ok(())
    }
}

/// A new file with a name that nothing has.
fn draft(folder: &Root) -> Result<(String, std::fs::File), Error> {
    let mut number = 0_u32;
    loop {
        let name = format!(".consign-laid.{number}");
        match folder.create_new(&name, Access::Private) {
            Ok(file) => return Ok((name, file)),
            Err(FilesError::AlreadyExists { .. }) if number < 1000 => number += 1,
            Err(error) => return Err(error.into()),
        }
    }
}
