//! GitHub, over its REST interface or over the tools of its MCP server.
//!
//! Both ways are an `Api`: the single calls, each made once. [`GitHub`] is the repository on top of one:
//! it looks before it makes something, and looks again when it is told that the thing exists.

pub mod mcp;
pub mod rest;
mod said;
mod wire;

use std::{fmt, sync::Arc};

use async_trait::async_trait;

use crate::{
    BadName, Base, BlobId, BranchName, CommitId, Committed, Described, Error, FileChange,
    FileCommit, LogEntry, Made, OwnerRepo, PullRequest, PullRequestRef, Repository, Tree, key,
    names,
};

/// How often a commit is tried when the file changes meanwhile.
const TRIES: usize = 3;
/// The most commits that a history is read for.
const MOST_COMMITS: usize = 1_000;

/// A repository on GitHub.
#[derive(Clone)]
pub struct GitHub {
    name: OwnerRepo,
    api: Arc<dyn Api>,
}

impl fmt::Debug for GitHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitHub").field("name", &self.name).finish_non_exhaustive()
    }
}

impl GitHub {
    /// A client may serve any number of repositories of the same user.
    #[must_use]
    pub fn over_rest(client: Arc<rest::Rest>, name: OwnerRepo) -> Self {
        Self { name, api: client }
    }

    /// A server may serve any number of repositories of the same user.
    #[must_use]
    pub fn over_mcp(server: Arc<mcp::Server>, name: OwnerRepo) -> Self {
        Self { name, api: server }
    }

    async fn tip(&self, branch: &BranchName) -> Result<Option<CommitId>, Error> {
        self.api.tip(&self.name, branch).await
    }
}

/// The single calls. None of them looks whether it was made before.
#[async_trait]
trait Api: Send + Sync {
    async fn default_branch(&self, of: &OwnerRepo) -> Result<String, Error>;
    async fn tip(&self, of: &OwnerRepo, branch: &BranchName) -> Result<Option<CommitId>, Error>;
    async fn tree(&self, of: &OwnerRepo, at: &CommitId) -> Result<Tree, Error>;
    /// A file of at most so many bytes. What is not a file is `None`.
    async fn file(
        &self,
        of: &OwnerRepo,
        at: &CommitId,
        path: &str,
        most: u64,
    ) -> Result<Option<Vec<u8>>, Error>;
    /// The id of what is in a file.
    async fn blob(
        &self,
        of: &OwnerRepo,
        at: &CommitId,
        path: &str,
    ) -> Result<Option<BlobId>, Error>;
    async fn log(&self, of: &OwnerRepo, at: &CommitId, most: usize)
    -> Result<Vec<LogEntry>, Error>;
    /// The commit that the branch begins at. [`Error::Conflict`] if there is such a branch.
    async fn make_branch(
        &self,
        of: &OwnerRepo,
        branch: &BranchName,
        from: &Base,
    ) -> Result<CommitId, Error>;
    /// What to hold from looking at a file to writing it, where a write replaces whatever is there.
    fn writing(&self) -> Option<&tokio::sync::Mutex<()>> {
        None
    }

    /// [`Error::Conflict`] if the file is not the one to replace.
    async fn put_file(&self, of: &OwnerRepo, put: Put<'_>) -> Result<CommitId, Error>;
    /// All pull requests from this branch, newest first.
    async fn pulls(
        &self,
        of: &OwnerRepo,
        branch: &BranchName,
    ) -> Result<Vec<PullRequestRef>, Error>;
    /// [`Error::Conflict`] if there is one already.
    async fn make_pull(
        &self,
        of: &OwnerRepo,
        request: &PullRequest,
    ) -> Result<PullRequestRef, Error>;
}

/// One file to be written.
struct Put<'a> {
    branch: &'a BranchName,
    path: &'a str,
    content: &'a [u8],
    message: &'a str,
    replaces: Option<&'a BlobId>,
}

#[async_trait]
impl Repository for GitHub {
    async fn describe(&self) -> Result<Described, Error> {
        Ok(Described { default_branch: self.api.default_branch(&self.name).await? })
    }

    async fn commit_of(&self, branch: &str) -> Result<Option<CommitId>, Error> {
        match BranchName::new(branch) {
            Ok(branch) => self.tip(&branch).await,
            Err(_) => Ok(None),
        }
    }

    async fn tree(&self, at: &CommitId) -> Result<Tree, Error> {
        let mut tree = self.api.tree(&self.name, at).await?;
        tree.entries.sort();
        Ok(tree)
    }

    async fn read(&self, at: &CommitId, path: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        match names::is_readable(path) {
            true => self.api.file(&self.name, at, path, most).await,
            false => Ok(None),
        }
    }

    async fn log(&self, at: &CommitId, most: usize) -> Result<Vec<LogEntry>, Error> {
        self.api.log(&self.name, at, most.min(MOST_COMMITS)).await
    }

    async fn create_branch(
        &self,
        branch: &BranchName,
        from: &Base,
    ) -> Result<Made<CommitId>, Error> {
        if branch.as_str() == from.branch {
            return Err(BadName::IsBase.into());
        }
        if let Some(value) = self.tip(branch).await? {
            return Ok(Made { value, was_there: true });
        }
        match self.api.make_branch(&self.name, branch, from).await {
            Ok(value) => Ok(Made { value, was_there: false }),
            Err(conflict @ Error::Conflict { .. }) => match self.tip(branch).await? {
                Some(value) => Ok(Made { value, was_there: true }),
                None => Err(conflict),
            },
            Err(error) => Err(error),
        }
    }

    async fn commit_file(
        &self,
        branch: &BranchName,
        change: &FileChange,
    ) -> Result<FileCommit, Error> {
        let message = key::with_key(&change.message, &change.key)?;
        let _turn = match self.api.writing() {
            Some(writing) => Some(writing.lock().await),
            None => None,
        };
        let mut conflict = None;
        for _ in 0..TRIES {
            let tip = self.tip(branch).await?;
            let tip = tip.ok_or_else(|| Error::not_found(format!("the branch {branch}")))?;
            let log = self.api.log(&self.name, &tip, key::LOOKBACK).await?;
            if let Some(found) = key::find(&log, &change.key) {
                return Ok(FileCommit::Found(found));
            }
            let there = self.api.blob(&self.name, &tip, change.path.as_str()).await?;
            if there.as_ref() == Some(&BlobId::of(&change.content)) {
                return Ok(FileCommit::Unchanged);
            }
            change.expected.check(there.as_ref(), &change.path)?;
            let put = Put {
                branch,
                path: change.path.as_str(),
                content: &change.content,
                message: &message,
                replaces: there.as_ref(),
            };
            match self.api.put_file(&self.name, put).await {
                Ok(sha) => {
                    let message = key::subject(&change.message);
                    return Ok(FileCommit::New(Committed { sha, message }));
                }
                // Either this very change arrived late, or somebody else's came between.
                Err(error @ Error::Conflict { .. }) => conflict = Some(error),
                Err(error) => return Err(error),
            }
        }
        Err(conflict.unwrap_or_else(|| Error::conflict("the branch keeps moving")))
    }

    async fn open_pull_request(
        &self,
        request: &PullRequest,
    ) -> Result<Made<PullRequestRef>, Error> {
        if request.branch.as_str() == request.base {
            return Err(BadName::IsBase.into());
        }
        let body = key::below_text(&request.body, &request.key)?;
        let (branch, key) = (&request.branch, request.key.as_str());
        if let Some(value) = self.pull_request_for(branch, key).await? {
            return Ok(Made { value, was_there: true });
        }
        match self.api.make_pull(&self.name, &PullRequest { body, ..request.clone() }).await {
            Ok(value) => Ok(Made { value, was_there: false }),
            Err(conflict @ Error::Conflict { .. }) => {
                match self.pull_request_for(branch, key).await? {
                    Some(value) => Ok(Made { value, was_there: true }),
                    None => Err(conflict),
                }
            }
            Err(error) => Err(error),
        }
    }

    async fn pull_request_of(&self, branch: &BranchName) -> Result<Option<PullRequestRef>, Error> {
        let mut pulls = self.api.pulls(&self.name, branch).await?;
        let open = pulls.iter().position(|pull| pull.is_open).unwrap_or(0);
        Ok((!pulls.is_empty()).then(|| pulls.swap_remove(open)))
    }

    async fn pull_request_for(
        &self,
        branch: &BranchName,
        key: &str,
    ) -> Result<Option<PullRequestRef>, Error> {
        let mut pulls = self.api.pulls(&self.name, branch).await?;
        let own = pulls.iter().position(|pull| pull.key.as_deref() == Some(key));
        let found = own.or_else(|| pulls.iter().position(|pull| pull.is_open));
        Ok(found.map(|at| pulls.swap_remove(at)))
    }
}
