//! The port: what one can ask of a repository, and what every adapter promises.

use async_trait::async_trait;

use crate::{BlobId, BranchName, CommitId, Error, RepoPath};

/// A repository that code is read from and published to.
///
/// Reading goes by commit, so that all that is read belongs together, whatever happens meanwhile.
/// What changes the repository looks first whether it was done before: the same call again has the same
/// outcome, and the world has one branch, one commit and one pull request.
#[async_trait]
pub trait Repository: Send + Sync {
    /// Whether thousands of files can be read of it: each is a request where it is not here.
    fn reads_cheaply(&self) -> bool {
        false
    }

    async fn describe(&self) -> Result<Described, Error>;

    /// The newest commit of a branch; `None` if there is no such branch.
    async fn commit_of(&self, branch: &str) -> Result<Option<CommitId>, Error>;

    /// All files of a commit, by path.
    async fn tree(&self, at: &CommitId) -> Result<Tree, Error>;

    /// What is in a file; `None` if there is no such file. A file of more than `most` bytes is
    /// [`Error::TooLarge`].
    async fn read(&self, at: &CommitId, path: &str, most: u64) -> Result<Option<Vec<u8>>, Error>;

    /// The newest commits up to this one, newest first.
    async fn log(&self, at: &CommitId, most: usize) -> Result<Vec<LogEntry>, Error>;

    /// Makes a branch, or finds it: then its newest commit is the value, and nothing is changed. A value
    /// that is `from.commit` says that nothing was committed on it yet.
    ///
    /// Over MCP a branch begins at the newest commit of `from.branch`: the value says which that was.
    async fn create_branch(
        &self,
        branch: &BranchName,
        from: &Base,
    ) -> Result<Made<CommitId>, Error>;

    /// Commits one file on a branch that exists, unless a commit with this key is there already, or the
    /// file has this content already.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the file is not as [`expected`](FileChange::expected), or if the branch keeps
    /// moving; [`Error::NotFound`] if there is no such branch.
    async fn commit_file(
        &self,
        branch: &BranchName,
        change: &FileChange,
    ) -> Result<FileCommit, Error>;

    /// Opens a pull request, or finds the one that [`pull_request_for`](Self::pull_request_for) this branch and this
    /// key finds.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a local repository: the branch is all there is.
    async fn open_pull_request(&self, request: &PullRequest)
    -> Result<Made<PullRequestRef>, Error>;

    /// The pull request of a branch: the open one, else the newest.
    async fn pull_request_of(&self, branch: &BranchName) -> Result<Option<PullRequestRef>, Error>;

    /// The pull request that was opened for this key, also when it is closed by now; else the open one of the branch,
    /// which takes what is committed on it. One that others have closed or merged is nobody's.
    async fn pull_request_for(
        &self,
        branch: &BranchName,
        key: &str,
    ) -> Result<Option<PullRequestRef>, Error>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    pub default_branch: String,
}

/// What is in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Sorted by path, without folders.
    pub entries: Vec<Entry>,
    /// Some entries are missing, because there are too many.
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    pub path: String,
    pub kind: EntryKind,
    /// 0 for what is not a file.
    pub size: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    File,
    Link,
    Submodule,
}

/// A commit in a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    pub id: CommitId,
    /// The first line of the message.
    pub summary: String,
    /// The rest of the message.
    pub body: String,
    /// The author's name, without an address.
    pub author: String,
    /// When it was written: RFC 3339, in UTC.
    pub at: String,
}

/// What a new branch begins at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    pub branch: String,
    pub commit: CommitId,
}

/// Something that exists now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made<T> {
    pub value: T,
    /// It was there before this call: made by an earlier one, or by somebody else.
    pub was_there: bool,
}

/// A file as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    pub path: RepoPath,
    pub content: Vec<u8>,
    pub message: String,
    /// What the file must be before the change.
    pub expected: Expected,
    /// One line that no other change has. It becomes the last line of the commit's message.
    pub key: String,
}

/// What a file must be before it is changed, so that nobody's work is overwritten unseen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    Anything,
    Absent,
    /// The file as it was read: [`BlobId::of`] its bytes.
    Content(BlobId),
}

impl Expected {
    pub(crate) fn check(&self, found: Option<&BlobId>, path: &RepoPath) -> Result<(), Error> {
        match (self, found) {
            (Self::Anything, _) | (Self::Absent, None) => Ok(()),
            (Self::Content(expected), Some(found)) if expected == found => Ok(()),
            (Self::Absent, Some(_)) => Err(Error::conflict(format!("{path} exists already"))),
            (Self::Content(_), None) => Err(Error::conflict(format!("{path} is gone"))),
            (Self::Content(_), Some(_)) => {
                Err(Error::conflict(format!("{path} was changed by somebody else")))
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    pub sha: CommitId,
    /// The subject.
    pub message: String,
}

/// How a file came to be as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileCommit {
    /// This call made the commit.
    New(Committed),
    /// An earlier call with the same key made it.
    Found(Committed),
    /// The file had this content already; there is no commit for it.
    Unchanged,
}

impl FileCommit {
    /// The commit of this change, whichever call made it.
    #[must_use]
    pub fn committed(&self) -> Option<&Committed> {
        match self {
            Self::New(committed) | Self::Found(committed) => Some(committed),
            Self::Unchanged => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    pub branch: BranchName,
    /// The branch that it goes into.
    pub base: String,
    pub title: String,
    pub body: String,
    /// One line that no other request has. It becomes a hidden comment below the body.
    pub key: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequestRef {
    /// The page for people.
    pub url: String,
    pub number: u64,
    pub is_open: bool,
    /// What it was opened for; nothing if somebody else opened it.
    pub key: Option<String>,
}
