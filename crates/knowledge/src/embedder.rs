//! Texts as vectors: the port to a model.

use async_trait::async_trait;

use crate::{
    ranking::Calibration,
    vector::{Query, Vector},
};

#[async_trait]
pub trait Embedder: Send + Sync {
    fn model(&self) -> &Model;

    /// Whether it answers at once. One that has to be loaded first is not asked where its answer would be of no use.
    fn is_ready(&self) -> bool {
        true
    }

    /// A question.
    async fn question(&self, text: &str) -> Result<Query, EmbedError>;

    /// Passages, each as a vector. They may take long: a question in between is not kept waiting for all of them.
    async fn passages(&self, texts: Vec<String>) -> Result<Vec<Vector>, EmbedError>;
}

/// What is known of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Names its weights: vectors of two names are never compared.
    pub name: String,
    pub dimensions: usize,
    pub calibration: Calibration,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("could not turn a text into a vector: {0}")]
pub struct EmbedError(pub String);
