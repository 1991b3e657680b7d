//! Checks that a history may be opened: nothing in it may lead out of the repository.
//!
//! libgit2 opens by path, follows links and reads whatever `alternates`, `commondir` and `include`
//! name. So all of `.git` that it would read is looked through first. What is refused says why.
//! [`open`] is for the history of a root, [`check_git_directory`] for callers that open, and write, by themselves.

use std::{fs, path::Path};

use git2::RepositoryOpenFlags;

use super::{History, head, home};
use crate::{Cancel, Error, root::Root};

/// What names another repository.
const ELSEWHERE: [&str; 4] =
    ["commondir", "gitdir", "objects/info/alternates", "objects/info/http-alternates"];
/// Settings that name other files or folders. Programs that a configuration names are never run.
const NAMING: [&str; 3] = ["core.worktree", "core.attributesfile", "core.excludesfile"];
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
    check_links(&git, Links::Within(within), cancel)?;
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

/// Checks a `.git` directory, or a bare repository, that somebody else may have written and that is to be opened for
/// reading and writing: it has no link, pipe or device in it, borrows nothing of another repository, and its configuration
/// names no other file. Like [`open`], it protects against what lies there, not against a program that changes it at the same
/// moment.
///
/// # Errors
/// [`Error::NoHistory`] says what is wrong.
pub fn check_git_directory(git: &Path) -> Result<(), Error> {
    let inside = Root::open(git).map_err(|_| refused("its .git cannot be read"))?;
    check_links(git, Links::Nowhere, &Cancel::new())?;
    if let Some(path) = ELSEWHERE.iter().find(|path| git.join(path).exists()) {
        return Err(refused(&format!("its {path} names another repository")));
    }
    check_files(&inside)?;
    for path in ["config", "config.worktree"] {
        check_settings(git, path)?;
    }
    Ok(())
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

/// Where links in a `.git` may lead.
#[derive(Clone, Copy)]
enum Links<'a> {
    /// To files of this folder. What is never read is not looked at.
    Within(&'a Path),
    /// There may be none.
    Nowhere,
}

/// Pipes would hold us forever, devices never end, and links may lead out.
fn check_links(git: &Path, links: Links<'_>, cancel: &Cancel) -> Result<(), Error> {
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
                let is_unread = || depth == 0 && UNREAD.iter().any(|unread| name == *unread);
                if matches!(links, Links::Within(_)) && is_unread() {
                    continue;
                }
                if depth == DEEPEST {
                    return Err(refused("its .git has folders that are nested too deep"));
                }
                dirs.push((entry.path(), depth + 1));
            } else if kind.is_symlink() {
                let Links::Within(root) = links else {
                    return Err(refused("its .git has a link in it"));
                };
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

/// Settings that name files, in a configuration that is known to include no other.
fn check_settings(git: &Path, path: &str) -> Result<(), Error> {
    let path = git.join(path);
    if !path.exists() {
        return Ok(());
    }
    let unreadable = |_| refused("its configuration cannot be read");
    let config = git2::Config::open(&path).map_err(unreadable)?;
    match NAMING.iter().find(|name| config.get_entry(name).is_ok()) {
        Some(name) => Err(refused(&format!("its configuration names another file ({name})"))),
        None => Ok(()),
    }
}

pub(super) fn refused(reason: &str) -> Error {
    Error::NoHistory { reason: reason.to_owned() }
}
