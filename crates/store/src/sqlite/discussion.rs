//! Implements the port of what people say about runs, method by method.

use async_trait::async_trait;
use consign_engine::{
    RunId,
    discussion::{Added, Comment, Discussion, Revised},
    store::Error,
};

use super::{
    read,
    store::SqliteStore,
    write::{AddComment, AddRevision},
};

#[async_trait]
impl Discussion for SqliteStore {
    async fn add_comment(&self, comment: Comment) -> Result<Added<Comment>, Error> {
        self.post(AddComment(comment)).await
    }

    async fn comments(
        &self,
        run: &RunId,
        after: Option<&str>,
        most: usize,
    ) -> Result<Vec<Comment>, Error> {
        let (run, after) = (run.clone(), after.map(str::to_owned));
        self.read(move |db| read::comments(db, &run, after.as_deref(), most)).await
    }

    async fn add_revision(&self, revision: Revised) -> Result<Added<Revised>, Error> {
        self.post(AddRevision(revision)).await
    }

    async fn revision(&self, run: &RunId) -> Result<Option<Revised>, Error> {
        let run = run.clone();
        self.read(move |db| read::revision(db, &run)).await
    }

    async fn revisions(&self, first: &RunId) -> Result<Vec<Revised>, Error> {
        let first = first.clone();
        self.read(move |db| read::revisions(db, &first)).await
    }
}
