//! Makes a tree of a workspace's files.
//!
//! What is in the newest commit is looked at even if it is ignored, as git does. A repository in the
//! workspace is taken as ordinary files; a submodule that the user's repository has stays what it is.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::File,
    io::{self, Read, Write},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::Path,
};

use consign_files::{self as files, Kind, Root, WalkLimits};
use git2::{Index, IndexEntry, IndexTime, ObjectType, Oid, Repository, Tree};

use super::{Attached, Error, ignored::Ignored};

const LIMITS: WalkLimits = WalkLimits { depth: 128, names: 1_000_000 };
const MOST_FILES: usize = 1_000_000;
const LARGEST: u64 = 1 << 30;
/// Larger files are not held in memory.
const AT_ONCE: u64 = 8 << 20;

const FILE: u32 = 0o100_644;
const PROGRAM: u32 = 0o100_755;
const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;

/// Opens a workspace. Its own name may not be a link: an agent that works there could have laid one.
pub(super) fn open_workspace(workspace: &Path) -> Result<Root, Error> {
    let missing = || Error::NoParent { path: workspace.to_owned() };
    let name = workspace.file_name().ok_or_else(missing)?;
    let parent = workspace.parent().filter(|it| !it.as_os_str().is_empty());
    Ok(Root::open(parent.unwrap_or(Path::new(".")))?.open_dir(name)?)
}

/// Writes all that belongs into a commit, as a tree, and says what could not be taken.
pub(super) fn tree(
    git: &Repository,
    attached: &Attached,
    root: &Root,
    tip: &git2::Commit<'_>,
) -> Result<(Oid, Vec<String>), Error> {
    let failed = |error| Error::git("write the files of the workspace", error);
    // The attributes of files (`text`, `eol`) are looked for in the index.
    let mut index = index(git, attached)?;
    index.read_tree(&tip.tree().map_err(failed)?).map_err(failed)?;
    let tracked = index.iter().map(|entry| (entry.path, (entry.mode, entry.id))).collect();
    let config = git.config().and_then(|mut it| it.snapshot()).ok();
    let modes = config.is_none_or(|it| it.get_bool("core.filemode").unwrap_or(true));
    let mut stage = Stage { git, tracked, modes, taken: Vec::new(), left_out: Vec::new() };
    stage.walk(root)?;
    let Stage { mut taken, mut left_out, .. } = stage;
    taken.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    let mut fresh = Index::new().map_err(failed)?;
    for (path, mode, id) in taken {
        let shown = String::from_utf8_lossy(&path).into_owned();
        // It knows which names are dangerous: `.git` in whatever spelling.
        if fresh.add(&entry(path, mode, id)).is_err() {
            left_out.push(shown);
        }
    }
    left_out.sort_unstable();
    Ok((fresh.write_tree_to(git).map_err(failed)?, left_out))
}

/// Writes the worktree's index, so that it has this tree.
pub(super) fn write_index(
    git: &Repository,
    attached: &Attached,
    tree: &Tree<'_>,
) -> Result<(), Error> {
    let failed = |error| Error::git("write the index of the worktree", error);
    let mut index = index(git, attached)?;
    index.read_tree(tree).map_err(failed)?;
    index.write().map_err(failed)
}

/// The worktree's index. One that cannot be read is made anew: all of it is in the tree.
fn index(git: &Repository, attached: &Attached) -> Result<Index, Error> {
    let failed = |error| Error::git("read the index of the worktree", error);
    git.index().or_else(|_| {
        let path = attached.administration().join("index");
        std::fs::remove_file(&path).map_err(|source| Error::Administration { path, source })?;
        git.index().map_err(failed)
    })
}

struct Stage<'a> {
    git: &'a Repository,
    /// Mode and content of what is in the newest commit.
    tracked: BTreeMap<Vec<u8>, (u32, Oid)>,
    /// Whether the file system knows which files are programs.
    modes: bool,
    taken: Vec<(Vec<u8>, u32, Oid)>,
    left_out: Vec<String>,
}

impl Stage<'_> {
    fn walk(&mut self, root: &Root) -> Result<(), Error> {
        let mut ignored = Ignored::new(self.git);
        let mut walk = root.walk(LIMITS);
        while let Some(folder) = walk.next_folder() {
            let folder = folder.map_err(|(_, error)| error)?;
            if folder.is_cut {
                return Err(Error::TooDeep { path: folder.path });
            }
            ignored.enter(&folder.path, &folder.root);
            let mut below = Vec::new();
            for entry in &folder.entries {
                let path = folder.path.join(&entry.name);
                if entry.name.eq_ignore_ascii_case(".git") {
                    if folder.depth > 0 {
                        self.leave_out(&path);
                    }
                    continue;
                }
                let is_folder = entry.kind == Kind::Folder;
                let hidden = ignored.has(&path, is_folder);
                let known = self.tracked.get(path.as_os_str().as_bytes()).copied();
                match known {
                    Some((SUBMODULE, id)) if is_folder => self.add(&path, SUBMODULE, id)?,
                    _ if is_folder && hidden => self.take_tracked(root, &path)?,
                    _ if is_folder => below.push(entry),
                    None if hidden => {}
                    _ => self.take(&folder.root, Path::new(&entry.name), entry.kind, &path)?,
                }
            }
            if walk.enter(&folder, below) > 0 {
                return Err(Error::TooDeep { path: folder.path });
            }
        }
        Ok(())
    }

    /// What the newest commit has in a folder that is ignored.
    fn take_tracked(&mut self, root: &Root, folder: &Path) -> Result<(), Error> {
        let mut prefix = folder.as_os_str().as_bytes().to_vec();
        prefix.push(b'/');
        let tracked = self.tracked.range(prefix.clone()..);
        let tracked = tracked.take_while(|(path, _)| path.starts_with(&prefix));
        let tracked: Vec<_> = tracked.map(|(path, it)| (path.clone(), *it)).collect();
        for (path, (mode, id)) in tracked {
            let path = Path::new(OsStr::from_bytes(&path));
            // Behind a link, or below what is a file now, it is gone.
            let Ok(about) = root.metadata(path) else { continue };
            if mode == SUBMODULE && about.kind == Kind::Folder {
                self.add(path, mode, id)?;
            } else if about.kind != Kind::Folder {
                self.take(root, path, about.kind, path)?;
            }
        }
        Ok(())
    }

    /// Takes what has this name in a folder; `path` is where that is in the workspace.
    fn take(&mut self, from: &Root, name: &Path, kind: Kind, path: &Path) -> Result<(), Error> {
        match kind {
            Kind::File => match from.open_file(name) {
                Ok(file) => self.take_file(file, path),
                // It was removed or replaced since it was listed.
                Err(files::Error::Missing { .. } | files::Error::Link { .. }) => Ok(()),
                Err(error) => Err(error.into()),
            },
            Kind::Link => {
                let (folder, name) = (name.parent().unwrap_or(Path::new("")), name.file_name());
                let Some(name) = name else { return Ok(()) };
                let folder = from.open_dir(folder)?;
                let Ok(target) = rustix::fs::readlinkat(&folder, name, Vec::new()) else {
                    return Ok(());
                };
                let id = self.git.blob(target.as_bytes()).map_err(unwritten)?;
                self.add(path, LINK, id)
            }
            Kind::Other | Kind::Folder => {
                self.leave_out(path);
                Ok(())
            }
        }
    }

    fn take_file(&mut self, file: File, path: &Path) -> Result<(), Error> {
        let unread = |source| {
            let path = path.to_owned();
            Error::Workspace(files::Error::Io { doing: "read", path, source })
        };
        let about = file.metadata().map_err(unread)?;
        let known = self.tracked.get(path.as_os_str().as_bytes()).copied();
        let program = match known {
            Some((mode, _)) if !self.modes => mode == PROGRAM,
            _ => self.modes && about.permissions().mode() & 0o100 != 0,
        };
        let mut bytes = Vec::new();
        (&file).take(AT_ONCE + 1).read_to_end(&mut bytes).map_err(unread)?;
        let whole = bytes.len() as u64 <= AT_ONCE;
        if about.len() > LARGEST {
            return Err(Error::TooLarge { path: path.to_owned(), limit: LARGEST });
        }
        let same = known.filter(|(_, id)| {
            whole && Oid::hash_object(ObjectType::Blob, &bytes).is_ok_and(|it| it == *id)
        });
        let id = match same {
            Some((_, id)) => id,
            None => {
                // By way of it line ends become what the repository wants.
                let mut writer = self.git.blob_writer(Some(path)).map_err(unwritten)?;
                writer.write_all(&bytes).map_err(unread)?;
                let rest = if whole { 0 } else { LARGEST + 1 - bytes.len() as u64 };
                let more = io::copy(&mut (&file).take(rest), &mut writer).map_err(unread)?;
                if more + bytes.len() as u64 > LARGEST {
                    return Err(Error::TooLarge { path: path.to_owned(), limit: LARGEST });
                }
                match writer.commit() {
                    // `core.safecrlf` may refuse; then it is kept as it is.
                    Err(_) if whole => self.git.blob(&bytes).map_err(unwritten)?,
                    written => written.map_err(unwritten)?,
                }
            }
        };
        self.add(path, if program { PROGRAM } else { FILE }, id)
    }

    fn add(&mut self, path: &Path, mode: u32, id: Oid) -> Result<(), Error> {
        if self.taken.len() == MOST_FILES {
            return Err(Error::TooMany { limit: MOST_FILES });
        }
        self.taken.push((path.as_os_str().as_bytes().to_vec(), mode, id));
        Ok(())
    }

    fn leave_out(&mut self, path: &Path) {
        self.left_out.push(path.to_string_lossy().into_owned());
    }
}

fn unwritten(error: git2::Error) -> Error {
    Error::git("write a file of the workspace to the repository", error)
}

fn entry(path: Vec<u8>, mode: u32, id: Oid) -> IndexEntry {
    let never = IndexTime::new(0, 0);
    IndexEntry {
        ctime: never,
        mtime: never,
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path,
    }
}
