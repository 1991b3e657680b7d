//! The folder that a repository keeps about a worktree, and the `.git` file that leads to it.
//!
//! An agent, or the user, may have changed either. They are put back before they are used.

use std::{fs, io, path::Path};

use consign_files::{Access, Kind, Root, WalkLimits, trusted};

use super::{Attached, Error};

/// Far more than a path has.
const LONGEST: u64 = 16 << 10;

/// Prunes what the repository keeps about the worktree. The job's branch and all its commits stay, and
/// so do the files of the workspace.
///
/// # Errors
/// [`Error::Administration`] if it cannot be removed. That there is none is no error.
pub fn detach(attached: &Attached) -> Result<(), Error> {
    let folder = attached.administration();
    match fs::remove_dir_all(&folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(source) => return Err(Error::Administration { path: folder, source }),
    }
    // Only if there is no other worktree, as git does.
    let _ = fs::remove_dir(attached.repo.join("worktrees"));
    Ok(())
}

/// Keeps `git worktree prune` from removing it while the workspace is elsewhere, and tells whose it is.
fn lock_words(job_id: &str) -> String {
    format!("workspace of the Consign job {job_id}\n")
}

/// Whether the worktree is of this job: none is there (`None`), ours, or another's.
pub(super) fn is_ours(attached: &Attached, workspace: &Path) -> Result<Option<bool>, Error> {
    let folder = attached.administration();
    let mut names = match fs::read_dir(&folder) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::Administration { path: folder, source }),
    };
    // A crash left it before anything was in it. The name has the workspace's path in it.
    if names.next().is_none() {
        return Ok(Some(true));
    }
    let is = |name: &str, words: &[u8]| {
        trusted::read(&folder.join(name), LONGEST).is_ok_and(|bytes| bytes == words)
    };
    let ours = is("locked", lock_words(&attached.job_id).as_bytes())
        || (is("gitdir", &line(b"", &workspace.join(".git"))) && is("HEAD", &head(attached)));
    Ok(Some(ours))
}

/// Where the job began. Git does not know this file, and leaves it alone.
const BASE: &str = "consign-base";

/// The commit that an earlier call began with.
pub(super) fn recorded_base(attached: &Attached) -> Option<String> {
    let bytes = trusted::read(&attached.administration().join(BASE), LONGEST).ok()?;
    Some(String::from_utf8(bytes).ok()?.trim().to_owned())
}

/// Begins it: from now on the job's branch may exist.
pub(super) fn claim(attached: &Attached) -> Result<(), Error> {
    let folder = attached.administration();
    fs::create_dir_all(&folder)
        .map_err(|source| Error::Administration { path: folder.clone(), source })?;
    keep(&folder, "locked", lock_words(&attached.job_id).as_bytes())?;
    keep(&folder, BASE, format!("{}\n", attached.base).as_bytes())
}

/// Puts the folder in the repository back as it has to be.
pub(super) fn restore(attached: &Attached, workspace: &Path) -> Result<(), Error> {
    claim(attached)?;
    let folder = attached.administration();
    keep(&folder, "commondir", b"../..\n")?;
    keep(&folder, "gitdir", &line(b"", &workspace.join(".git")))?;
    keep(&folder, "HEAD", &head(attached))?;
    // It is left when a process dies that writes the index. Nobody else may have it for long.
    match fs::remove_file(folder.join("index.lock")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::Administration { path: folder, source: error })
        }
        _ => Ok(()),
    }
}

/// Puts the `.git` file of the workspace back if it is another, is a folder or is gone.
pub(super) fn restore_link(attached: &Attached, workspace: &Root) -> Result<(), Error> {
    let wanted = line(b"gitdir: ", &attached.administration());
    match workspace.metadata(".git") {
        Ok(it) if it.kind == Kind::File => {
            if workspace.read(".git", LONGEST).is_ok_and(|bytes| bytes == wanted) {
                return Ok(());
            }
        }
        Ok(it) if it.kind == Kind::Folder => remove_folder(workspace, ".git")?,
        Ok(_) => {
            workspace.remove_file(".git")?;
        }
        Err(error) if error.is_missing() => {}
        Err(error) => return Err(error.into()),
    }
    workspace.write_atomic(".git", &wanted, Access::Shared(0o644))?;
    Ok(())
}

/// Removes a folder with all that is in it, by handle and without following a link.
fn remove_folder(root: &Root, name: &str) -> Result<(), Error> {
    let top = root.open_dir(name)?;
    let mut walk = top.walk(WalkLimits { depth: 256, names: usize::MAX });
    let mut folders = Vec::new();
    while let Some(folder) = walk.next_folder() {
        let folder = folder.map_err(|(_, error)| error)?;
        for entry in folder.entries.iter().filter(|entry| entry.kind != Kind::Folder) {
            folder.root.remove_file(&entry.name)?;
        }
        walk.enter(&folder, folder.entries.iter().filter(|entry| entry.kind == Kind::Folder));
        folders.push(folder.path);
    }
    for folder in folders.iter().rev().filter(|folder| !folder.as_os_str().is_empty()) {
        top.remove_dir(folder)?;
    }
    root.remove_dir(name)?;
    Ok(())
}

fn head(attached: &Attached) -> Vec<u8> {
    format!("ref: {}\n", attached.reference()).into_bytes()
}

fn line(begin: &[u8], path: &Path) -> Vec<u8> {
    [begin, path.as_os_str().as_encoded_bytes(), b"\n"].concat()
}

fn keep(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let path = folder.join(name);
    if trusted::read(&path, LONGEST).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    trusted::write_atomic(&path, bytes, Access::Shared(0o644)).map_err(|error| {
        Error::Administration { path, source: io::Error::new(error.kind(), error) }
    })
}
