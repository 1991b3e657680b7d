//! Makes a job's branch and its worktree.
//!
//! The order is what makes it possible to go on after a crash: first the worktree's folder in the
//! repository, which says whose it is, then the branch, then the files, and the index when all files are
//! there.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use git2::{Reference, Repository, RepositoryOpenFlags, build::CheckoutBuilder};
use sha2::{Digest, Sha256};

use super::{Attached, Error, administration, branch_of, open};

/// Makes the branch `consign/job/<job_id>` at the commit that `HEAD` of the repository names, and a
/// worktree of it at `workspace`, which must not exist, in a folder that must.
///
/// After a crash in the middle, or at any time after it, the same call gives the same result. Files that
/// have been changed since are left as they are.
///
/// # Errors
/// [`Error::NoRepository`], [`Error::NotAFolder`], [`Error::NoCommit`] and [`Error::OtherOwner`] for the
/// repository, [`Error::BranchExists`] and [`Error::WorkspaceExists`] for what is already there, and what
/// libgit2 or the system says.
pub fn attach(repo: &Path, workspace: &Path, job_id: &str) -> Result<Attached, Error> {
    let branch = branch_of(job_id);
    let reference = format!("refs/heads/{branch}");
    // It is a single name, also where it becomes one of a file.
    if job_id.is_empty() || job_id.contains('/') || !Reference::is_valid_name(&reference) {
        return Err(Error::BadName { name: job_id.to_owned() });
    }
    let git = find(repo)?;
    let common = fs::canonicalize(git.commondir())
        .map_err(|source| Error::Administration { path: git.commondir().to_owned(), source })?;
    let workspace = absolute(workspace)?;
    let mut attached = Attached {
        repo: common,
        worktree: worktree_name(job_id, &workspace),
        job_id: job_id.to_owned(),
        base: String::new(),
    };
    let tip = match git.find_reference(&reference) {
        Ok(found) => Some(found.peel_to_commit().map_err(|it| Error::git("read the branch", it))?),
        Err(error) if error.code() == git2::ErrorCode::NotFound => None,
        Err(error) => return Err(Error::git("read the branch", error)),
    };
    match administration::is_ours(&attached, &workspace)? {
        Some(true) => {}
        Some(false) => return Err(Error::WorktreeExists { name: attached.worktree }),
        None if tip.is_some() => return Err(Error::BranchExists { branch }),
        None if fs::symlink_metadata(&workspace).is_ok() => {
            return Err(Error::WorkspaceExists { path: workspace });
        }
        None => {}
    }
    if let Some(tip) = tip {
        // The branch may have commits of the job by now.
        let recorded = administration::recorded_base(&attached);
        attached.base = recorded.unwrap_or_else(|| tip.id().to_string());
    } else {
        let base = head(&git, repo)?.id();
        attached.base = base.to_string();
        administration::claim(&attached)?;
        git.reference(&reference, base, false, "branch: made for a Consign job")
            .map_err(|error| Error::git("make the branch of the job", error))?;
    }
    administration::restore(&attached, &workspace)?;
    lay(&attached, &workspace)?;
    Ok(attached)
}

/// The repository that a folder is in.
fn find(path: &Path) -> Result<Repository, Error> {
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => open(path, RepositoryOpenFlags::empty()),
        Ok(_) => Err(Error::NotAFolder { path: path.to_owned() }),
        Err(_) => Err(Error::NoRepository { path: path.to_owned() }),
    }
}

fn head<'git>(git: &'git Repository, path: &Path) -> Result<git2::Commit<'git>, Error> {
    git.head().and_then(|head| head.peel_to_commit()).map_err(|error| {
        let unborn = [git2::ErrorCode::UnbornBranch, git2::ErrorCode::NotFound];
        if unborn.contains(&error.code()) {
            return Error::NoCommit { path: path.to_owned() };
        }
        Error::git("read HEAD of the repository", error)
    })
}

/// The path without links before its name.
fn absolute(workspace: &Path) -> Result<PathBuf, Error> {
    let missing = || Error::NoParent { path: workspace.to_owned() };
    let name = workspace.file_name().ok_or_else(missing)?;
    let parent = workspace.parent().ok_or_else(missing)?;
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    Ok(fs::canonicalize(parent).map_err(|_| missing())?.join(name))
}

/// Readable, and another one for each workspace.
pub(super) fn worktree_name(job_id: &str, workspace: &Path) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() || it == '_' { it } else { '-' };
    let name: String = job_id.chars().take(60).map(plain).collect();
    let mut digest = Sha256::new();
    digest.update(job_id.as_bytes());
    digest.update([0]);
    digest.update(workspace.as_os_str().as_encoded_bytes());
    format!("consign-{name}-{}", hex::encode(&digest.finalize()[..6]))
}

/// Lays the files, unless all were laid before: the index is written after the last one.
fn lay(attached: &Attached, workspace: &Path) -> Result<(), Error> {
    match fs::create_dir(workspace) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            let source = error;
            let (doing, path) = ("make", workspace.to_owned());
            return Err(Error::Workspace(consign_files::Error::Io { doing, path, source }));
        }
        _ => {}
    }
    let folder = attached.administration();
    if !folder.join("index").exists() {
        // Its folder of the repository says where the files are.
        let flags = RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT;
        let git = open(&folder, flags)?;
        let mut how = CheckoutBuilder::new();
        how.force().recreate_missing(true);
        git.checkout_head(Some(&mut how))
            .map_err(|error| Error::git("lay the files of the repository", error))?;
    }
    administration::restore_link(attached, &super::stage::open_workspace(workspace)?)
}
