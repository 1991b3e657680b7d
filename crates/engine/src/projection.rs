//! The port of what is written beside a store from the journals of runs: files that people read, say.
//!
//! The journal is the truth. A projection is told after each commit, and may fail, be slow or be missed with the process:
//! it must be able to catch up from the journal alone, and nothing waits for it to be right.

use async_trait::async_trait;

use crate::{Engine, RunId};

#[async_trait]
pub trait Projection: Send + Sync {
    /// Whether it follows the runs of a workflow.
    fn follows(&self, workflow: &str) -> bool;

    /// Brings what it keeps of a run up to the newest event. Nothing is begun in the run meanwhile by this process.
    async fn follow(&self, engine: &Engine, run: &RunId);
}

impl Engine {
    /// Tells the projection that there is something new in a run.
    pub(crate) async fn project(&self, workflow: &str, run: &RunId) {
        if let Some(projection) = &self.projection
            && projection.follows(workflow)
        {
            projection.follow(self, run).await;
        }
    }
}
