//! A search from contract to contract: `crew/memory.query` in, `crew/memory.output` out.
//!
//! With a model the question is asked as words and as a vector; without one, or when the model fails, as words alone,
//! and the answer says so in its member `search`: `{way, model, vectors_done, vectors_total}`.

use std::{ops::Range, sync::Arc};

use consign_contracts::{
    crew::{MemoryOutput, MemoryQuery, RetrievedContext},
    json::{Json, Number, Object},
    wire::Nullable,
};
use consign_engine::Owner;
use serde_json::{Value, json};
use tracing::warn;

use crate::{
    embedder::Embedder,
    filter::Filters,
    index::{Ask, AskVector, Error, Found, Hit, Index, Progress},
    stems::{Term, marks, terms},
};

/// What the contract says where a query says nothing.
const TOP_K: usize = 5;
const MIN_RELEVANCE: f64 = 0.7;

pub struct Search {
    index: Arc<dyn Index>,
    embedder: Option<Arc<dyn Embedder>>,
}

/// How a question was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By words alone.
    Text,
    /// By words and vectors.
    Hybrid,
}

impl Way {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Hybrid => "hybrid",
        }
    }
}

/// What a search found, for a surface to show.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Best first.
    pub results: Vec<Marked>,
    /// The words of the question, and how much each says. None where nothing could be found.
    pub terms: Vec<(Term, f64)>,
    /// How much a word says that no passage has.
    pub unseen: f64,
    pub total_found: u64,
    pub way: Way,
    /// The model that there is, whether or not its vectors were of use.
    pub model: Option<String>,
    pub progress: Progress,
    /// Why the model was not asked, although there is one.
    pub trouble: Option<String>,
}

/// A hit, and which bytes of its content match.
#[derive(Clone, Debug)]
pub struct Marked {
    pub hit: Hit,
    pub marks: Vec<Range<usize>>,
}

impl Search {
    /// Without an embedder, questions are asked as words alone.
    #[must_use]
    pub fn new(index: Arc<dyn Index>, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { index, embedder }
    }

    /// Searches the owner's documents, in one collection or in all.
    pub async fn search(
        &self,
        owner: &Owner,
        query: &MemoryQuery,
        collection: Option<&str>,
    ) -> Result<Answer, Error> {
        let mut filters = match &query.filters {
            Some(Nullable(Some(filters))) => Filters::of(filters),
            Some(Nullable(None)) | None => Filters::default(),
        };
        if let Some(collection) = collection {
            filters = filters.and("collection", collection);
        }
        let top_k = query.top_k.as_ref().and_then(|top_k| top_k.as_u64());
        let min_relevance =
            query.min_relevance_score.as_ref().map_or(MIN_RELEVANCE, Number::as_f64);
        let (vector, trouble) = self.vector(owner, &query.query_text).await?;
        let ask = Ask {
            question: query.query_text.clone(),
            vector,
            filters,
            top_k: top_k.map_or(TOP_K, |top_k| usize::try_from(top_k).unwrap_or(usize::MAX)),
            min_relevance,
        };
        let found = self.index.find(owner, &ask).await?;
        let Found { hits, total, progress, languages, rarities, unseen } = found;
        let is_hybrid = ask.vector.is_some() && progress.done > 0;
        let terms = terms(&ask.question, languages);
        let mark = |hit: Hit| Marked { marks: marks(&hit.chunk.content, &terms, languages), hit };
        Ok(Answer {
            results: hits.into_iter().map(mark).collect(),
            terms: terms.iter().cloned().zip(rarities).collect(),
            unseen,
            total_found: total,
            way: if is_hybrid { Way::Hybrid } else { Way::Text },
            model: self.embedder.as_ref().map(|embedder| embedder.model().name.clone()),
            progress,
            trouble,
        })
    }

    async fn vector(
        &self,
        owner: &Owner,
        question: &str,
    ) -> Result<(Option<AskVector>, Option<String>), Error> {
        let Some(embedder) = &self.embedder else { return Ok((None, None)) };
        let model = embedder.model();
        // Nothing is loaded to compare a question with no vector at all.
        if !embedder.is_ready() && self.index.progress(owner, &model.name).await?.done == 0 {
            return Ok((None, None));
        }
        match embedder.question(question).await {
            Ok(query) => {
                let (model, calibration) = (model.name.clone(), model.calibration);
                Ok((Some(AskVector { model, query, calibration }), None))
            }
            Err(error) => {
                warn!(model = model.name, %error, "searching by words alone");
                Ok((None, Some(error.to_string())))
            }
        }
    }
}

impl Answer {
    /// The answer as its contract has it, with `search` beside.
    #[must_use]
    pub fn to_output(&self) -> MemoryOutput {
        let mut extra = Object::new();
        let search = json!({
            "way": self.way.as_str(),
            "model": self.model,
            "vectors_done": self.progress.done,
            "vectors_total": self.progress.total,
        });
        extra.set("search", Json::from(&search));
        MemoryOutput {
            results: self.results.iter().map(Marked::to_context).collect(),
            total_found: i64::try_from(self.total_found).unwrap_or(i64::MAX).into(),
            extra,
        }
    }
}

impl Marked {
    /// The hit as its contract has it.
    #[must_use]
    pub fn to_context(&self) -> RetrievedContext {
        let Hit { chunk, relevance } = &self.hit;
        // As many digits as mean something.
        let score = (relevance * 1e6).round() / 1e6;
        let metadata = Json::from(&Value::Object(chunk.metadata()));
        RetrievedContext {
            chunk_id: chunk.id.to_string(),
            content: chunk.content.clone(),
            source_id: chunk.source.to_string(),
            source_url: Nullable(chunk.about.url.clone()),
            relevance_score: Number::try_from(score).unwrap_or_else(|_| 0_u64.into()),
            metadata: metadata.as_object().cloned().unwrap_or_default(),
            extra: Object::new(),
        }
    }
}
