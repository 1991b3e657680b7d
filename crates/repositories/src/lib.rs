//! Where code lives: reading a repository, and publishing to it once.
//!
//! [`Repository`] is the port. Its adapters are [`Local`], a git folder on this machine, and
//! [`github::GitHub`], which reaches GitHub over its REST interface ([`github::rest`]) or over the tools of
//! its MCP server ([`github::mcp`]). To publish: make a branch, commit file after file, open a pull request.
//! Each of these looks first whether it was done before, so the same call again, after an answer that was
//! lost or a crash, makes no second branch, commit or pull request.
//!
//! Names that come from a model or a user are checked once, by their types: [`BranchName`], [`RepoPath`]
//! and [`OwnerRepo`].
//!
//! What this crate must not do:
//! - touch the work tree, the index or `HEAD` of a local repository, or run anything that it configures;
//! - try again by itself after a failure of the network: it says what is [transient](Error::is_transient),
//!   and the caller does it, in the journal;
//! - send a token to any other host than the configured one, or show it in an error or in `Debug`;
//! - decide what is written, where to, or who approves it.

mod error;
pub mod github;
mod id;
mod key;
mod local;
mod names;
mod port;

pub use consign_models::transport::Secret;

pub use self::{
    error::Error,
    id::{BlobId, CommitId},
    key::committed_for,
    local::Local,
    names::{BadName, BranchName, OwnerRepo, RepoPath},
    port::{
        Base, Committed, Described, Entry, EntryKind, Expected, FileChange, FileCommit, LogEntry,
        Made, PullRequest, PullRequestRef, Repository, Tree,
    },
};
