//! Memory: from a question to the chunks that may answer it.

use crate::{
    json::{Number, Object},
    wire::{Integer, Nullable, wire},
};

wire! {
    /// A search.
    pub open struct MemoryQuery = "crew/memory.query" {
        /// What to look for.
        query_text: String,
        /// Most results to give.
        top_k: Option<Integer> [minimum: 1, default: 5],
        /// Results below this are left out.
        min_relevance_score: Option<Number<'static>> [minimum: 0, maximum: 1, default: 0.7],
        /// What a result's metadata must say.
        filters: Option<Nullable<Object<'static>>>,
    }
}

wire! {
    /// What was found.
    pub open struct MemoryOutput = "crew/memory.output" {
        /// Best first.
        results: Vec<RetrievedContext>,
        /// How many there are in all.
        total_found: Integer [minimum: 0],
    }
}

wire! {
    /// A chunk that was found.
    pub open struct RetrievedContext {
        /// The chunk.
        chunk_id: String,
        /// Its text.
        content: String,
        /// The document that it is from.
        source_id: String,
        /// Where that document is.
        source_url: Nullable<String>,
        /// How well it fits.
        relevance_score: Number<'static> [minimum: 0, maximum: 1],
        /// What is known about it.
        metadata: Object<'static>,
    }
}
