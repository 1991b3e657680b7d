//! The port to what people say about runs: comments, and which run revises which.
//!
//! Neither is part of a run: no workflow reads them, and a run goes on whatever is written here. Whatever a method has
//! answered `Ok` to is durable. Who may read or write is the caller's to say.

use async_trait::async_trait;

use crate::{Actor, At, Owner, RunId, store::Error};

/// How many comments a run can have, and how many runs a chain of revisions.
pub const MOST_COMMENTS: usize = 1_000;
pub const MOST_REVISIONS: usize = 200;

#[async_trait]
pub trait Discussion: Send + Sync {
    /// Adds a comment, unless the run has one with this id already, or as many as it can have.
    async fn add_comment(&self, comment: Comment) -> Result<Added<Comment>, Error>;

    /// The comments of a run in the order in which they came: those after the one of this id, so many. After an id
    /// that is not there, none.
    async fn comments(
        &self,
        run: &RunId,
        after: Option<&str>,
        most: usize,
    ) -> Result<Vec<Comment>, Error>;

    /// Notes that a run revises another, unless it is noted already, or the chain is as long as it can be. It may be
    /// noted before there is such a run.
    async fn add_revision(&self, revision: Revised) -> Result<Added<Revised>, Error>;

    /// What is noted about a run that revises another.
    async fn revision(&self, run: &RunId) -> Result<Option<Revised>, Error>;

    /// All runs that go back to a first one, in the order in which they came.
    async fn revisions(&self, first: &RunId) -> Result<Vec<Revised>, Error>;
}

/// What became of something to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added<T> {
    New,
    /// It was there before, perhaps with another content.
    There(T),
    /// There is no more room.
    Full,
}

/// What somebody said about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub run: RunId,
    /// Of this comment among those of its run.
    pub id: String,
    pub owner: Owner,
    pub author: Actor,
    pub at: At,
    pub text: String,
}

/// A run that revises another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revised {
    pub run: RunId,
    pub parent: RunId,
    /// The one that revises none: the parent's first, or the parent.
    pub first: RunId,
    pub owner: Owner,
    pub at: At,
    /// What was wished for, and how, in the words of whoever revises.
    pub instruction: String,
    pub mode: String,
    pub scope: String,
}
