//! Checks that a history may be opened: nothing in it may lead out of the repository.
//!
//! libgit2 opens by path, follows links and reads whatever `alternates`, `commondir` and `include`
//! name. So all of `.git` that it would read is looked through first. What is refused says why.

use std::{fs, path::Path};

use git2::RepositoryOpenFlags;

use super::{History, head, home};
use crate::{Cancel, Error, root::Root};

/// Directories in `.git` that neither log nor blame reads, as no reference is there. Tools put links into
/// some of them.
const UNREAD: &[&str] = &["hooks", "modules", "worktrees", "lfs", "annex", "rr-cache", "logs"];
/// Loose objects, mostly: more of them than this and `git gc` is overdue.
const MOST: usize = 1_000_000;
const DEEPEST: usize = 32;
const CONFIG: u64 = 1 << 20;
/// Where a history was cut off: a commit a line.
const GRAFTS: u64 = 4 << 20;

pub(super) fn open(root: &Root, cancel: &Cancel) -> Result<History, Error> {
    let home::GitDirectory { git, prefix } = home::find(root.path())?;
    if git.join("commondir").exists() {
        return Err(refused("it uses the history of another repository (commondir)"));
    }
    // Above the root nothing is ours to read but the directory itself, so that nothing may lead out of
    // that.
    let within = if prefix.is_empty() { root.path() } else { &git };
    check_links(within, &git, cancel)?;
    let inside = Root::open(&git).map_err(|_| refused("its .git cannot be read"))?;
    check_files(&inside)?;
    let head = head::find(&inside)?;
    // Opened as if it had no files of its own: neither `core.worktree` nor what is above matters then.
    let flags =
        RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT | RepositoryOpenFlags::BARE;
    let above: [&Path; 0] = [];
    let git = git2::Repository::open_ext(&git, flags, above).map_err(|error| {
        refused(if error.code() == git2::ErrorCode::Owner {
            "its .git belongs to another user"
        } else {
            "its .git cannot be opened as a git repository"
        })
    })?;
    Ok(History { git, head, prefix })
}

/// The files that name others, and those that are read whole when a history is opened.
fn check_files(root: &Root) -> Result<(), Error> {
    check_alternates(root, "objects/info/alternates")?;
    check_config(root, "config")?;
    check_config(root, "config.worktree")?;
    for path in ["shallow", "info/grafts"] {
        head::small(root, path, GRAFTS)?;
    }
    Ok(())
}

/// Pipes would hold us forever, devices never end, and links may lead out.
fn check_links(root: &Path, git: &Path, cancel: &Cancel) -> Result<(), Error> {
    let mut dirs = vec![(git.to_owned(), 0)];
    let mut seen = 0_usize;
    while let Some((dir, depth)) = dirs.pop() {
        cancel.check()?;
        let entries = fs::read_dir(&dir).map_err(|_| refused("its .git cannot be read"))?;
        for entry in entries {
            seen += 1;
            if seen > MOST || cancel.is_late() {
                return Err(refused("its .git is too large to be checked"));
            }
            let entry = entry.map_err(|_| refused("its .git cannot be read"))?;
            let kind = entry.file_type().map_err(|_| refused("its .git cannot be read"))?;
            let name = entry.file_name();
            if kind.is_dir() {
                let unread = depth == 0 && UNREAD.iter().any(|unread| name == *unread);
                if unread {
                    continue;
                }
                if depth == DEEPEST {
                    return Err(refused("its .git has folders that are nested too deep"));
                }
                dirs.push((entry.path(), depth + 1));
            } else if kind.is_symlink() {
                let inside = fs::canonicalize(entry.path())
                    .is_ok_and(|to| to.starts_with(root) && to.is_file());
                if !inside {
                    return Err(refused("its .git has a link that leads out of the repository"));
                }
            } else if !kind.is_file() {
                return Err(refused("its .git has something that is neither file nor directory"));
            }
        }
    }
    Ok(())
}

fn check_alternates(root: &Root, path: &str) -> Result<(), Error> {
    let text = head::small(root, path, CONFIG)?.unwrap_or_default();
    if text.trim_ascii().is_empty() {
        return Ok(());
    }
    Err(refused("it borrows objects of another repository (alternates)"))
}

/// `[include]` and `[includeIf]` read any file of the machine as configuration.
fn check_config(root: &Root, path: &str) -> Result<(), Error> {
    let text = head::small(root, path, CONFIG)?.unwrap_or_default().to_ascii_lowercase();
    let mut sections = text.split(|byte| *byte == b'[').skip(1);
    if sections.any(|rest| rest.trim_ascii_start().starts_with(b"include")) {
        return Err(refused("its configuration includes other files"));
    }
    Ok(())
}

pub(super) fn refused(reason: &str) -> Error {
    Error::NoHistory { reason: reason.to_owned() }
}
