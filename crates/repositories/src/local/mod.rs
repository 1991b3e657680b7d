//! A git folder on this machine.
//!
//! Branches and commits are made in the object database and the references only. The work tree, the
//! index, `HEAD` and every branch that is checked out stay as they are. libgit2 does this work: it runs no
//! hook, no filter and no program that the repository configures. There are no pull requests here.

mod checked_out;
mod left_lock;
mod objects;
mod open;
mod publish;
mod read;

use std::path::PathBuf;

use async_trait::async_trait;

use crate::{
    Base, BranchName, CommitId, Described, Error, FileChange, FileCommit, LogEntry, Made,
    PullRequest, PullRequestRef, Repository, Tree, names,
};

/// The repository in a folder.
#[derive(Clone, Debug)]
pub struct Local {
    folder: PathBuf,
}

impl Local {
    /// The folder is that of a work tree, or a bare repository. It is opened anew for every call.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&git2::Repository) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let folder = self.folder.clone();
        let done = tokio::task::spawn_blocking(move || work(&open::open(&folder)?)).await;
        done.unwrap_or_else(|cause| Err(Error::unreachable(format!("the work stopped: {cause}"))))
    }
}

#[async_trait]
impl Repository for Local {
    fn reads_cheaply(&self) -> bool {
        true
    }

    async fn describe(&self) -> Result<Described, Error> {
        self.with(read::describe).await
    }

    async fn commit_of(&self, branch: &str) -> Result<Option<CommitId>, Error> {
        let Ok(branch) = BranchName::new(branch) else { return Ok(None) };
        self.with(move |git| read::tip(git, &branch)).await
    }

    async fn tree(&self, at: &CommitId) -> Result<Tree, Error> {
        let at = at.clone();
        self.with(move |git| read::tree(git, &at)).await
    }

    async fn read(&self, at: &CommitId, path: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        if !names::is_readable(path) {
            return Ok(None);
        }
        let (at, path) = (at.clone(), path.to_owned());
        self.with(move |git| read::file(git, &at, &path, most)).await
    }

    async fn log(&self, at: &CommitId, most: usize) -> Result<Vec<LogEntry>, Error> {
        let at = at.clone();
        self.with(move |git| read::log(git, &at, most)).await
    }

    async fn create_branch(
        &self,
        branch: &BranchName,
        from: &Base,
    ) -> Result<Made<CommitId>, Error> {
        let (branch, from) = (branch.clone(), from.clone());
        self.with(move |git| publish::create_branch(git, &branch, &from)).await
    }

    async fn commit_file(
        &self,
        branch: &BranchName,
        change: &FileChange,
    ) -> Result<FileCommit, Error> {
        let (branch, change) = (branch.clone(), change.clone());
        self.with(move |git| publish::commit_file(git, &branch, &change)).await
    }

    async fn open_pull_request(
        &self,
        _request: &PullRequest,
    ) -> Result<Made<PullRequestRef>, Error> {
        Err(Error::Unsupported { what: "a pull request" })
    }

    async fn pull_request_of(&self, _branch: &BranchName) -> Result<Option<PullRequestRef>, Error> {
        Ok(None)
    }

    async fn pull_request_for(
        &self,
        _branch: &BranchName,
        _key: &str,
    ) -> Result<Option<PullRequestRef>, Error> {
        Ok(None)
    }
}
