//! Passages: what was found, with the bytes that it may be cited by.
//!
//! The content of a passage is the stored text of its span, but for later parts of a table: there the heading of the
//! table stands before it. A citation only ever points into the stored bytes.

use std::ops::Range;

use consign_contracts::{
    crew::{RetrievedContext, SourceCitation},
    json::{Json, Object},
    wire::Nullable,
};
use serde::{Deserialize, Serialize};

/// The most passages that are looked at; more are left out.
pub const MOST_PASSAGES: usize = 64;

/// The most bytes of a passage that are looked at; a chunk is far shorter.
const LONGEST: usize = 64 * 1024;

/// A chunk that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    pub chunk_id: String,
    pub source_id: String,
    /// SHA-256 of what the stored text was made from.
    pub source_hash: String,
    pub content: String,
    /// Its bytes in the stored text.
    pub span: Range<usize>,
    pub page_number: Option<u32>,
    pub url: Option<String>,
    pub title: Option<String>,
    pub file_name: Option<String>,
    /// The headings that it stands below, the outermost first.
    pub heading: Vec<String>,
    pub layout_type: String,
    pub collection: Option<String>,
    /// From 0 to 1.
    pub relevance: f64,
}

/// Why a chunk cannot be cited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    #[error("chunk {chunk} does not say {member}, which a citation needs")]
    Missing { chunk: String, member: &'static str },
    #[error("the content of chunk {chunk} does not end with the text of its span")]
    Span { chunk: String },
}

impl Passage {
    /// A passage from what Memory gave.
    pub fn of(context: &RetrievedContext) -> Result<Self, Unusable> {
        let about = &context.metadata;
        let chunk = || context.chunk_id.clone();
        let missing = |member| Unusable::Missing { chunk: chunk(), member };
        let span = span(about.get("span")).ok_or_else(|| missing("span"))?;
        let source_hash = text(about, "checksum").ok_or_else(|| missing("checksum"))?;
        let layout_type = text(about, "layout_type").unwrap_or_else(|| "text".to_owned());
        let page = about.get("page_number").and_then(Json::as_number);
        let heading = about.get("heading").and_then(Json::as_array).unwrap_or_default();
        let passage = Self {
            chunk_id: chunk(),
            source_id: context.source_id.clone(),
            source_hash,
            content: context.content.clone(),
            span,
            page_number: page.and_then(|page| u32::try_from(page.as_u64()?).ok()),
            url: context.source_url.0.clone(),
            title: text(about, "title"),
            file_name: text(about, "file_name"),
            heading: heading.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
            layout_type,
            collection: text(about, "collection"),
            relevance: context.relevance_score.as_f64().clamp(0.0, 1.0),
        };
        if passage.is_sound() { Ok(passage) } else { Err(Unusable::Span { chunk: chunk() }) }
    }

    /// The passages of what Memory gave, and why others cannot be used. At most [`MOST_PASSAGES`].
    #[must_use]
    pub fn all(contexts: &[RetrievedContext]) -> (Vec<Self>, Vec<Unusable>) {
        let (mut passages, mut unusable) = (Vec::new(), Vec::new());
        for context in contexts.iter().take(MOST_PASSAGES) {
            match Self::of(context) {
                Ok(passage) => passages.push(passage),
                Err(reason) => unusable.push(reason),
            }
        }
        (passages, unusable)
    }

    fn is_sound(&self) -> bool {
        let Some(before) = self.content.len().checked_sub(self.span.len()) else { return false };
        let (Some(above), Some(_)) = (self.content.get(..before), self.content.get(before..))
        else {
            return false;
        };
        above.is_empty() || above.ends_with('\n')
    }

    /// How many bytes of the content stand before the stored ones.
    pub(crate) fn before(&self) -> usize {
        self.content.len().saturating_sub(self.span.len())
    }

    /// The stored text of its span.
    #[must_use]
    pub fn stored(&self) -> &str {
        self.content.get(self.before()..).unwrap_or_default()
    }

    /// What is looked at of the content.
    pub(crate) fn read(&self) -> &str {
        &self.content[..self.content.floor_char_boundary(LONGEST)]
    }

    /// The stored bytes of a range of the stored text, where they are part of this passage.
    #[must_use]
    pub fn quote(&self, span: &Range<usize>) -> Option<&str> {
        let from = span.start.checked_sub(self.span.start)?;
        let to = span.end.checked_sub(self.span.start)?;
        if from >= to { None } else { self.stored().get(from..to) }
    }

    /// A citation of a range of the content. Nothing where the range is not of the stored bytes.
    #[must_use]
    pub fn cite(&self, range: &Range<usize>) -> Option<Citation> {
        let from = range.start.checked_sub(self.before())?;
        let to = range.end.checked_sub(self.before())?;
        let span = self.span.start + from..self.span.start + to;
        Some(self.citation(self.quote(&span)?, &span))
    }

    fn citation(&self, quote: &str, span: &Range<usize>) -> Citation {
        Citation {
            source_id: self.source_id.clone(),
            chunk_id: self.chunk_id.clone(),
            text_snippet: quote.to_owned(),
            url: self.url.clone(),
            source_hash: self.source_hash.clone(),
            span: (span.start, span.end),
            page_number: self.page_number,
        }
    }

    /// What it is called: its title, its file, or its source.
    #[must_use]
    pub fn name(&self) -> &str {
        self.title.as_deref().or(self.file_name.as_deref()).unwrap_or(&self.source_id)
    }
}

fn text(about: &Object<'static>, name: &str) -> Option<String> {
    about.get(name).and_then(Json::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn span(json: Option<&Json<'static>>) -> Option<Range<usize>> {
    let [start, end] = json?.as_array()? else { return None };
    let at = |json: &Json<'static>| usize::try_from(json.as_number()?.as_u64()?).ok();
    let (start, end) = (at(start)?, at(end)?);
    (start <= end).then_some(start..end)
}

/// Where a claim is from. The snippet is exactly the bytes of the span of the stored text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    pub source_id: String,
    pub chunk_id: String,
    pub text_snippet: String,
    pub url: Option<String>,
    pub source_hash: String,
    /// From and to, in bytes of the stored text.
    pub span: (usize, usize),
    pub page_number: Option<u32>,
}

impl Citation {
    /// The citation that a model means. What it says itself (`source_hash`, `span`) is taken as it says it, to be checked;
    /// what it leaves out is taken from the passage, where the quote is looked for. A quote that is not there gets an empty
    /// span, which no check lets pass.
    #[must_use]
    pub fn from_model(cited: &SourceCitation, passages: &[Passage]) -> Self {
        let passage = passages.iter().find(|passage| passage.chunk_id == cited.chunk_id);
        let given = span(cited.extra.get("span"));
        let found = || {
            let passage = passage?;
            let quote = cited.text_snippet.as_str();
            let at = passage.span.start + passage.stored().find(quote)?;
            Some(at..at + quote.len())
        };
        let span = given.or_else(found).unwrap_or(0..0);
        let hash = text(&cited.extra, "source_hash");
        Self {
            source_id: cited.source_id.clone(),
            chunk_id: cited.chunk_id.clone(),
            text_snippet: cited.text_snippet.clone(),
            url: passage.and_then(|passage| passage.url.clone()),
            source_hash: hash
                .or_else(|| passage.map(|passage| passage.source_hash.clone()))
                .unwrap_or_default(),
            span: (span.start, span.end),
            page_number: passage.and_then(|passage| passage.page_number),
        }
    }

    /// The citation as its contract has it, with `source_hash`, `span` and `page_number` beside.
    #[must_use]
    pub fn to_contract(&self) -> SourceCitation {
        let number = |at: usize| Json::Number((at as u64).into());
        let mut extra = Object::new();
        extra.set("source_hash", Json::String(self.source_hash.clone().into()));
        extra.set("span", Json::Array(vec![number(self.span.0), number(self.span.1)]));
        let page = self.page_number.map_or(Json::Null, |page| Json::Number(u64::from(page).into()));
        extra.set("page_number", page);
        SourceCitation {
            source_id: self.source_id.clone(),
            chunk_id: self.chunk_id.clone(),
            text_snippet: self.text_snippet.clone(),
            url: Nullable(self.url.clone()),
            extra,
        }
    }
}
