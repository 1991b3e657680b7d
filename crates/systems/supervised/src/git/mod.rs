//! A job's workspace as a worktree of the user's git repository.
//!
//! [`attach`] makes a branch for the job and lays its files, [`commit`] records the workspace as it is,
//! [`reset`] takes the branch back to an earlier commit, [`detach`] ends it. Each can be repeated after a
//! crash in the middle of it. The user's own checkout, index, `HEAD` and branches are never touched.
//!
//! Agents have worked in the workspace, so nothing in it is believed: the repository is found by what
//! [`Attached`] says and never through the workspace's `.git`, files are read beneath the workspace by
//! handle, and links are stored, not followed. No hook, no filter that is a program and no signature is
//! ever run or made: libgit2 has none of them. Nothing here decides when a commit is due, and only
//! [`attach`] writes the workspace's files.

mod administration;
mod attach;
mod commit;
mod error;
mod ignored;
mod reset;
mod stage;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use git2::{Oid, Repository, RepositoryOpenFlags};
use serde::{Deserialize, Serialize};

pub use self::{
    administration::detach,
    attach::attach,
    commit::{Commit, Committed, commit},
    error::Error,
    reset::reset,
};

/// Where the job of a workspace is in the user's repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    /// The git folder that all worktrees of the repository share.
    pub repo: PathBuf,
    /// The name of the worktree's folder in `repo/worktrees`.
    pub worktree: String,
    /// The id of the job, which its branch and its kept commits are named after.
    pub job_id: String,
    /// The commit that the job began with.
    pub base: String,
}

impl Attached {
    /// The branch of the job, as users call it.
    #[must_use]
    pub fn branch(&self) -> String {
        branch_of(&self.job_id)
    }

    fn reference(&self) -> String {
        format!("refs/heads/{}", self.branch())
    }

    /// Where earlier tips of the branch are kept.
    fn kept(&self) -> String {
        format!("refs/consign/{}/", self.job_id)
    }

    fn administration(&self) -> PathBuf {
        self.repo.join("worktrees").join(&self.worktree)
    }

    /// The commit that the job's branch is at.
    fn tip(&self, git: &Repository) -> Result<Oid, Error> {
        let found = git.find_reference(&self.reference()).and_then(|it| it.peel_to_commit());
        match found {
            Ok(commit) => Ok(commit.id()),
            Err(error) if error.code() == git2::ErrorCode::NotFound => {
                Err(Error::BranchMissing { branch: self.branch() })
            }
            Err(error) => Err(Error::git("read the branch of the job", error)),
        }
    }
}

fn branch_of(job_id: &str) -> String {
    format!("consign/job/{job_id}")
}

/// Opens exactly this git folder, as if it had no files of its own: then neither attributes nor ignore
/// rules are read from a workspace.
fn open_bare(folder: &Path) -> Result<Repository, Error> {
    let flags =
        RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT | RepositoryOpenFlags::BARE;
    open(folder, flags)
}

fn open(folder: &Path, flags: RepositoryOpenFlags) -> Result<Repository, Error> {
    let above: [&Path; 0] = [];
    Repository::open_ext(folder, flags, above).map_err(|error| {
        let path = folder.to_owned();
        if error.code() == git2::ErrorCode::NotFound {
            Error::NoRepository { path }
        } else if error.code() == git2::ErrorCode::Owner {
            Error::OtherOwner { path }
        } else {
            Error::git("open the repository", error)
        }
    })
}

fn parse(id: &str) -> Result<Oid, Error> {
    Oid::from_str(id).map_err(|_| Error::NoSuchCommit { id: id.to_owned() })
}
