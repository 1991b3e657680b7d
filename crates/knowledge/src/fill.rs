//! Vectors in the background: chunk by chunk, until every chunk has one.
//!
//! The index itself says what is missing, so a [`Filler`] that stops anywhere goes on where it stopped, and two at the
//! same time do work twice but nothing wrong. Call [`Filler::step`] until it says that nothing is left.

use std::sync::Arc;

use consign_engine::Owner;
use tracing::debug;

use crate::{
    embedder::{EmbedError, Embedder},
    index::{Error, Index},
};

/// How many chunks are looked up, turned into vectors and kept at a time.
const BATCH: usize = 32;

pub struct Filler {
    index: Arc<dyn Index>,
    embedder: Arc<dyn Embedder>,
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum FillError {
    #[error(transparent)]
    Index(#[from] Error),
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl Filler {
    #[must_use]
    pub fn new(index: Arc<dyn Index>, embedder: Arc<dyn Embedder>) -> Self {
        Self { index, embedder }
    }

    /// Adds some vectors of each owner in turn. Says how many; 0 means that nothing is left.
    pub async fn step(&self) -> Result<usize, FillError> {
        let mut added = 0;
        for owner in self.index.owners_without_vectors(&self.embedder.model().name).await? {
            added += self.step_of(&owner).await?;
        }
        Ok(added)
    }

    /// Adds some vectors of one owner. Says how many; 0 means that nothing is left.
    pub async fn step_of(&self, owner: &Owner) -> Result<usize, FillError> {
        let model = &self.embedder.model().name;
        loop {
            let chunks = self.index.without_vectors(owner, model, BATCH).await?;
            if chunks.is_empty() {
                return Ok(0);
            }
            let passages = chunks.iter().map(|chunk| chunk.passage()).collect();
            let vectors = self.embedder.passages(passages).await?;
            if vectors.len() != chunks.len() {
                let told =
                    format!("{} vectors came back for {} texts", vectors.len(), chunks.len());
                return Err(EmbedError(told).into());
            }
            let vectors = chunks.into_iter().map(|chunk| chunk.id).zip(vectors).collect();
            let added = self.index.add_vectors(owner, model, vectors).await?;
            debug!(added, "vectors were added");
            // All of them may have been replaced or filled by somebody else meanwhile: that is not the end.
            if added > 0 {
                return Ok(added);
            }
        }
    }
}
