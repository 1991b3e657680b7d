//! Finds the git repository that a folder belongs to: its own, or one around it.
//!
//! A `.git` directory above the root counts only if no other user could have put it there: every
//! folder from the root up to it, and the directory itself, must be of the user who asks or of the
//! administrator, as git wants it. Nothing is opened here; what is in the directory, the guard looks at.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use super::guard::refused;
use crate::Error;

#[derive(Debug)]
pub(super) struct GitDirectory {
    /// The `.git` directory.
    pub(super) git: PathBuf,
    /// Where the root is in the repository, with `/`; empty if it is all of it.
    pub(super) prefix: String,
}

pub(super) fn find(root: &Path) -> Result<GitDirectory, Error> {
    let own = root.join(".git");
    if let Some(about) = look(&own)? {
        is_plain(&about, "its .git")?;
        return Ok(GitDirectory { git: own, prefix: String::new() });
    }
    let user = rustix::process::geteuid().as_raw();
    let mut at = root;
    let device = folder(at, user)?.dev();
    while let Some(above) = at.parent() {
        at = above;
        if folder(at, user)?.dev() != device {
            return Err(refused(
                "it has no .git directory, and is on another file system than the folder above it",
            ));
        }
        let git = at.join(".git");
        let Some(about) = look(&git)? else { continue };
        is_plain(&about, "the .git above it")?;
        if !is_trusted(about.uid(), user) {
            return Err(refused("the .git above it belongs to another user"));
        }
        let below = root.strip_prefix(at).ok().and_then(Path::to_str);
        let prefix = below.ok_or_else(|| refused("its path is not text"))?.to_owned();
        return Ok(GitDirectory { git, prefix });
    }
    Err(refused("there is no .git directory in it, nor in a folder above it"))
}

fn look(path: &Path) -> Result<Option<fs::Metadata>, Error> {
    match fs::symlink_metadata(path) {
        Ok(about) => Ok(Some(about)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(_) => Err(refused("it could not be checked for a .git directory")),
    }
}

fn is_plain(about: &fs::Metadata, name: &str) -> Result<(), Error> {
    if about.is_file() {
        return Err(refused(&format!("{name} is a file that points to another directory")));
    }
    if !about.is_dir() {
        return Err(refused(&format!("{name} is a link")));
    }
    Ok(())
}

/// A folder on the way up, if it can be trusted.
fn folder(path: &Path, user: u32) -> Result<fs::Metadata, Error> {
    let about = fs::symlink_metadata(path);
    let about = about.map_err(|_| {
        refused("it has no .git directory, and the folders above it cannot be read")
    })?;
    if !about.is_dir() || !is_trusted(about.uid(), user) {
        return Err(refused(
            "it has no .git directory, and it or a folder above it belongs to another user",
        ));
    }
    Ok(about)
}

const fn is_trusted(owner: u32, user: u32) -> bool {
    owner == user || owner == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_oneself_and_the_administrator_are_trusted() {
        assert!(is_trusted(1000, 1000) && is_trusted(0, 1000) && is_trusted(0, 0));
        assert!(!is_trusted(1001, 1000) && !is_trusted(1000, 0));
    }
}
