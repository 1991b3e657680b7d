//! Copies and lists folders as they are: files with their rights, links as links. Nothing is followed.

use std::{
    collections::BTreeMap,
    fs::Permissions,
    io::{self, Read},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use consign_files::{Access, Entry, Error, Folder, Kind, Root, WalkLimits};
use sha2::{Digest, Sha256};

use super::manifest::{Held, written};

/// A home is ours: it may have any shape.
const EVERYTHING: WalkLimits = WalkLimits { depth: usize::MAX, names: usize::MAX };

/// Copies what is wanted, and gives the paths of pipes, sockets and devices, which are not copied. A folder is entered
/// only if it is wanted itself. What is there already stays, and what is removed meanwhile is left out.
pub(super) fn copy(
    from: &Root,
    to: &Root,
    is_wanted: &dyn Fn(&Path) -> bool,
) -> Result<Vec<String>, Error> {
    let mut left_out = Vec::new();
    for_each(from, is_wanted, |folder, entry, path| {
        let done = match entry.kind {
            Kind::Folder => {
                let mode = folder.root.metadata(&entry.name)?.mode | 0o700;
                to.create_dir_all(path, mode & 0o777)
            }
            Kind::File => copy_file(&folder.root, entry, to, path),
            Kind::Link => match folder.root.read_link(&entry.name)? {
                Some(target) => to.create_link(path, target),
                None => Ok(()),
            },
            Kind::Other => {
                left_out.push(written(path));
                Ok(())
            }
        };
        match done {
            // It was copied before.
            Err(Error::AlreadyExists { .. }) => Ok(()),
            done => done,
        }
    })?;
    Ok(left_out)
}

fn copy_file(folder: &Root, entry: &Entry, to: &Root, path: &Path) -> Result<(), Error> {
    let mut from = folder.open_file(&entry.name)?;
    let failed =
        |source| Error::Io { doing: "copy", path: folder.path().join(&entry.name), source };
    let mode = from.metadata().map_err(failed)?.permissions().mode();
    let mut file = to.create_new(path, Access::Private)?;
    io::copy(&mut from, &mut file).map_err(failed)?;
    file.set_permissions(Permissions::from_mode(mode & 0o777)).map_err(failed)
}

/// Every file and link, with the hash of its content.
pub(super) fn list(
    root: &Root,
    is_wanted: &dyn Fn(&Path) -> bool,
) -> Result<BTreeMap<String, Held>, Error> {
    let mut found = BTreeMap::new();
    for_each(root, is_wanted, |folder, entry, path| {
        let held = match entry.kind {
            Kind::Folder => return Ok(()),
            Kind::File => hash(&folder.root, entry)?,
            Kind::Link => {
                let target = folder.root.read_link(&entry.name)?.unwrap_or_default();
                Held::Link { link: written(Path::new(&target)) }
            }
            // Nothing that we wrote: whoever compares finds a file too many.
            Kind::Other => Held::Link { link: String::new() },
        };
        found.insert(written(path), held);
        Ok(())
    })?;
    Ok(found)
}

fn hash(folder: &Root, entry: &Entry) -> Result<Held, Error> {
    let mut file = folder.open_file(&entry.name)?;
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    let mut buffer = vec![0; 256 << 10];
    loop {
        let read = file.read(&mut buffer).map_err(|source| Error::Io {
            doing: "read",
            path: folder.path().join(&entry.name),
            source,
        })?;
        if read == 0 {
            return Ok(Held::File { bytes, sha256: hex::encode(hash.finalize()) });
        }
        hash.update(&buffer[..read]);
        bytes += read as u64;
    }
}

/// Walks through all that is wanted, folders before what is in them.
fn for_each(
    root: &Root,
    is_wanted: &dyn Fn(&Path) -> bool,
    mut take: impl FnMut(&Folder, &Entry, &Path) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut walk = root.walk(EVERYTHING);
    while let Some(folder) = walk.next_folder() {
        let folder = match folder {
            Ok(folder) => folder,
            Err((_, Error::Missing { .. })) => continue,
            Err((_, error)) => return Err(error),
        };
        if folder.is_cut {
            let source = io::Error::other("the system did not tell all names in it");
            return Err(Error::Io { doing: "list", path: root.path().join(&folder.path), source });
        }
        let mut inside = Vec::new();
        for entry in &folder.entries {
            let path = folder.path.join(&entry.name);
            if !is_wanted(&path) {
                continue;
            }
            match take(&folder, entry, &path) {
                Ok(()) if entry.kind == Kind::Folder => inside.push(entry),
                // Removed since it was listed.
                Ok(()) | Err(Error::Missing { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        walk.enter(&folder, inside);
    }
    Ok(())
}
