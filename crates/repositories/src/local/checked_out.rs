//! Which branches are checked out: a commit on one would put its work tree out of step.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
};

use git2::Repository;

use super::open::refused;
use crate::{BranchName, Error};

/// Files that say which branch a work tree is on, also in the middle of a rebase.
const POINTERS: [&str; 3] = ["HEAD", "rebase-merge/head-name", "rebase-apply/head-name"];
/// A reference has one line.
const LINE: u64 = 4 << 10;
/// Work trees that are looked at.
const MOST: usize = 10_000;

/// Refuses a branch that a work tree of the repository is on.
pub(super) fn refuse(git: &Repository, branch: &BranchName) -> Result<(), Error> {
    let reference = super::read::reference(branch);
    let on_it = |folder: &Path| POINTERS.iter().any(|it| points_at(&folder.join(it), &reference));
    let common = git.commondir();
    let config = git.config().map_err(refused("read the configuration"))?;
    // A bare repository has a HEAD, and no work tree that would be on it.
    let mut checked_out = !config.get_bool("core.bare").unwrap_or(false) && on_it(common);
    if let Ok(linked) = fs::read_dir(common.join("worktrees")) {
        checked_out |= linked.take(MOST).flatten().any(|it| on_it(&it.path()));
    }
    match checked_out {
        true => Err(Error::refused(format!(
            "the branch {branch} is checked out: choose another one, or check out another one"
        ))),
        false => Ok(()),
    }
}

fn points_at(file: &Path, reference: &str) -> bool {
    // A pipe would hold us forever.
    if !fs::metadata(file).is_ok_and(|about| about.is_file()) {
        return false;
    }
    let mut text = Vec::new();
    let read = File::open(file).and_then(|file| file.take(LINE).read_to_end(&mut text));
    let text = text.trim_ascii();
    let name = text.strip_prefix(b"ref:").unwrap_or(text).trim_ascii();
    read.is_ok() && name == reference.as_bytes()
}

/// Refuses a repository whose references or objects would be written somewhere else.
pub(super) fn refuse_links(git: &Repository, branch: &BranchName) -> Result<(), Error> {
    let common = git.commondir();
    let reference = super::read::reference(branch);
    let mut folder = common.to_owned();
    let mut folders = vec![common.join("objects")];
    for part in reference.split('/') {
        folder.push(part);
        folders.push(folder.clone());
    }
    let is_link = |it: &Path| fs::symlink_metadata(it).is_ok_and(|it| it.is_symlink());
    match folders.iter().any(|it| is_link(it)) {
        true => Err(Error::refused("the repository has links where branches are written")),
        false => Ok(()),
    }
}
