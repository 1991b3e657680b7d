//! What people say about runs, in memory.

use async_trait::async_trait;
use consign_engine::{
    RunId,
    discussion::{Added, Comment, Discussion, MOST_COMMENTS, MOST_REVISIONS, Revised},
    store::Error,
};

use super::MemoryStore;

/// Nobody waits for a comment, so nobody is told of one.
#[async_trait]
impl Discussion for MemoryStore {
    async fn add_comment(&self, comment: Comment) -> Result<Added<Comment>, Error> {
        let mut state = self.state();
        let own = state.comments.iter().filter(|known| known.run == comment.run);
        if let Some(there) = own.clone().find(|known| known.id == comment.id) {
            return Ok(Added::There(there.clone()));
        }
        if own.count() >= MOST_COMMENTS {
            return Ok(Added::Full);
        }
        state.comments.push(comment);
        Ok(Added::New)
    }

    async fn comments(
        &self,
        run: &RunId,
        after: Option<&str>,
        most: usize,
    ) -> Result<Vec<Comment>, Error> {
        let state = self.state();
        let mut own = state.comments.iter().filter(|known| known.run == *run);
        if let Some(after) = after {
            own.find(|known| known.id == after);
        }
        Ok(own.take(most).cloned().collect())
    }

    async fn add_revision(&self, revision: Revised) -> Result<Added<Revised>, Error> {
        let mut state = self.state();
        if let Some(there) = state.revisions.iter().find(|known| known.run == revision.run) {
            return Ok(Added::There(there.clone()));
        }
        let chain = state.revisions.iter().filter(|known| known.first == revision.first);
        if chain.count() >= MOST_REVISIONS {
            return Ok(Added::Full);
        }
        state.revisions.push(revision);
        Ok(Added::New)
    }

    async fn revision(&self, run: &RunId) -> Result<Option<Revised>, Error> {
        Ok(self.state().revisions.iter().find(|known| known.run == *run).cloned())
    }

    async fn revisions(&self, first: &RunId) -> Result<Vec<Revised>, Error> {
        let state = self.state();
        Ok(state.revisions.iter().filter(|known| known.first == *first).cloned().collect())
    }
}
