//! Where documents are kept and found: the port, in the words of documents.
//!
//! Every method takes the owner, and nothing of another owner is ever seen, counted or weighed. What a method has
//! answered `Ok` to is durable. What was removed or replaced is gone when the method has answered: no row, no page and
//! no log has its words.

use std::ops::Range;

use async_trait::async_trait;
use consign_engine::Owner;
pub use consign_engine::store::Error;

use crate::{
    document::{Source, StoredChunk, Version},
    filter::Filters,
    id::{ChunkId, DocumentId, SourceId},
    language::Languages,
    ranking::Calibration,
    vector::{Query, Vector},
};

#[async_trait]
pub trait Index: Send + Sync {
    /// Puts each version in the place of what its source said before, all in one commit. A version that is there
    /// already is left alone, with its vectors. A source that was missing is there again.
    async fn put(&self, owner: &Owner, versions: Vec<Version>) -> Result<Vec<Put>, Error>;

    /// Removes a source and everything that came from it. Says whether there was one.
    async fn remove(&self, owner: &Owner, source: &SourceId) -> Result<bool, Error>;

    /// Notes whether the source was there when it was last looked for. Says whether it is known.
    async fn set_missing(
        &self,
        owner: &Owner,
        source: &SourceId,
        missing: bool,
    ) -> Result<bool, Error>;

    async fn source(&self, owner: &Owner, source: &SourceId) -> Result<Option<Source>, Error>;

    /// Sources by collection and identifier.
    async fn sources(&self, owner: &Owner, query: &SourceQuery) -> Result<Vec<Source>, Error>;

    /// A part of what a document says. Nothing if this is no current document, or the span no part of its text.
    async fn text(
        &self,
        owner: &Owner,
        document: &DocumentId,
        span: Range<usize>,
    ) -> Result<Option<String>, Error>;

    /// Up to `most` chunks of a current document, from an index on.
    async fn chunks(
        &self,
        owner: &Owner,
        document: &DocumentId,
        from: u32,
        most: usize,
    ) -> Result<Vec<StoredChunk>, Error>;

    /// Searches. Filters apply first; among equals the smaller [`ChunkId`] comes first.
    async fn find(&self, owner: &Owner, ask: &Ask) -> Result<Found, Error>;

    /// Owners who have chunks without a vector of this model.
    async fn owners_without_vectors(&self, model: &str) -> Result<Vec<Owner>, Error>;

    /// Up to `most` chunks without a vector of this model.
    async fn without_vectors(
        &self,
        owner: &Owner,
        model: &str,
        most: usize,
    ) -> Result<Vec<StoredChunk>, Error>;

    /// Adds vectors. Those of chunks that are no longer there are dropped. A source that has vectors of another model
    /// loses them. Says how many were added.
    async fn add_vectors(
        &self,
        owner: &Owner,
        model: &str,
        vectors: Vec<(ChunkId, Vector)>,
    ) -> Result<usize, Error>;

    async fn progress(&self, owner: &Owner, model: &str) -> Result<Progress, Error>;
}

/// What became of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// The source is new.
    Taken,
    /// It said something else before.
    Replaced,
    Unchanged,
}

/// Which sources to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceQuery {
    pub collection: Option<String>,
    /// The collection and identifier of the last one that was seen.
    pub after: Option<(String, String)>,
    pub most: usize,
}

impl Default for SourceQuery {
    fn default() -> Self {
        Self { collection: None, after: None, most: 100 }
    }
}

/// A search.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    pub question: String,
    /// The question as a vector, where there is a model.
    pub vector: Option<AskVector>,
    pub filters: Filters,
    pub top_k: usize,
    pub min_relevance: f64,
}

/// A question as a vector, and what its cosines mean.
#[derive(Clone, Debug, PartialEq)]
pub struct AskVector {
    pub model: String,
    pub query: Query,
    pub calibration: Calibration,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Best first.
    pub hits: Vec<Hit>,
    /// How many pass filters and minimum.
    pub total: u64,
    /// How far the vectors of the asked model are, over all chunks of the owner.
    pub progress: Progress,
    /// The languages of the owner's documents: what the question was stemmed in.
    pub languages: Languages,
    /// How much each term of the question says, in the order of [`terms`](crate::terms): the rarer, the more.
    pub rarities: Vec<f64>,
    /// How much a word says that no chunk has.
    pub unseen: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub chunk: StoredChunk,
    pub relevance: f64,
}

/// How many chunks have a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    pub total: u64,
}
