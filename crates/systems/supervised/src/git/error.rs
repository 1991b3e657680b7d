//! Why something could not be done in a repository.

use std::{io, path::PathBuf};

/// Each says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "there is no git repository at {path:?}: name a folder of one, or run `git init` there"
    )]
    NoRepository { path: PathBuf },
    #[error("{path:?} is not a folder: name the folder of a git repository")]
    NotAFolder { path: PathBuf },
    #[error(
        "the repository {path:?} belongs to another user: to trust it, add it to `safe.directory` \
         with `git config --global`"
    )]
    OtherOwner { path: PathBuf },
    #[error("the repository {path:?} has no commit yet: commit something to it, then try again")]
    NoCommit { path: PathBuf },
    #[error("{name:?} cannot be part of a branch's name: use letters, digits, `-` and `_`")]
    BadName { name: String },
    #[error(
        "the branch {branch} already exists: choose another name for the job, or delete the branch \
         with `git branch -D {branch}`"
    )]
    BranchExists { branch: String },
    #[error(
        "the branch {branch} of the job is missing: restore it with `git branch {branch} COMMIT`"
    )]
    BranchMissing { branch: String },
    #[error("the workspace {path:?} already exists: choose another folder for the job")]
    WorkspaceExists { path: PathBuf },
    #[error("the workspace {path:?} cannot be made: the folder that it is in does not exist")]
    NoParent { path: PathBuf },
    #[error(
        "the repository already has a worktree named {name}, which is not of this job: find it with \
         `git worktree list`, and remove it with `git worktree remove`"
    )]
    WorktreeExists { name: String },
    #[error("there is no commit {id} in the repository")]
    NoSuchCommit { id: String },
    #[error("the commit {id} was not made by this job: choose one of the branch {branch}")]
    NotOfTheJob { id: String, branch: String },
    #[error("{name} already keeps another commit: choose another name")]
    AlreadyKept { name: String },
    #[error(
        "{path:?} in the workspace has more than {limit} bytes: remove it, or name it in `.gitignore`"
    )]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("the workspace has more than {limit} files: name what is generated in `.gitignore`")]
    TooMany { limit: usize },
    #[error("{path:?} in the workspace has too many folders in folders, or too many names in one")]
    TooDeep { path: PathBuf },
    #[error("the workspace cannot be read: {0}")]
    Workspace(#[source] consign_files::Error),
    #[error("the worktree's folder {path:?} in the repository cannot be written: {source}")]
    Administration { path: PathBuf, source: io::Error },
    /// Whatever libgit2 says.
    #[error("could not {doing}: {}", .source.message())]
    Git { doing: &'static str, source: git2::Error },
}

impl Error {
    pub(super) fn git(doing: &'static str, source: git2::Error) -> Self {
        Self::Git { doing, source }
    }
}

impl From<consign_files::Error> for Error {
    fn from(error: consign_files::Error) -> Self {
        Self::Workspace(error)
    }
}
