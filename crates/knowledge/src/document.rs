//! What is kept of a document: where it is from, what it says, and its chunks.
//!
//! A parser's result comes in as a [`Draft`]. [`Version::of`] checks it, gives it its names and works out its stems, so
//! that an index only has to keep it. What comes back from an index is a [`Source`] or a [`StoredChunk`].

use std::{collections::BTreeSet, ops::Range, sync::Arc};

use consign_contracts::{crew::LayoutType, json::Json};
use consign_engine::{At, Owner};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::{
    filter::{as_text, is_of_chunk},
    id::{ChunkId, DocumentId, SourceId},
    language::{Language, Languages},
    stems::Stems,
};

/// What is known about a document as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    pub collection: String,
    /// `local`, `web`, `gdrive`, or what else it came by.
    pub source_type: String,
    /// Path, address or id, as the source is called where it is.
    pub identifier: String,
    pub url: Option<String>,
    /// SHA-256 of the bytes it was made from.
    pub checksum: String,
    /// What it truly is, such as `xlsx`.
    pub kind: String,
    /// The word of the contract's closed list.
    pub file_type: String,
    pub file_name: Option<String>,
    pub title: Option<String>,
    /// The user's own.
    pub metadata: Map<String, Value>,
    pub pages: u32,
    pub ingested_at: At,
}

/// A part of a document, as a parser gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// Its bytes in the document's text.
    pub span: Range<usize>,
    /// What it says, where that is not exactly the text of its span: a part of a table with its heading repeated.
    pub content: Option<String>,
    pub page: Option<u32>,
    pub layout: LayoutType,
    /// The headings that it stands below, the outermost first.
    pub heading: Vec<String>,
    pub bbox: Option<[f64; 4]>,
}

/// A document, as it is taken in.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    pub about: About,
    pub text: String,
    pub chunks: Vec<Chunk>,
}

/// Why a draft cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("chunk {chunk} is at {}..{}, which is no part of the text", span.start, span.end)]
    Span { chunk: usize, span: Range<usize> },
    #[error("a document has at most {} chunks", u32::MAX)]
    Chunks,
}

/// One version of a source, ready to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    pub source: SourceId,
    pub document: DocumentId,
    pub about: About,
    pub text: String,
    pub chunks: Vec<Chunk>,
    /// Of each chunk.
    pub stems: Vec<Stems>,
    pub languages: Languages,
    /// Over everything but the time: two versions with the same digest are the same.
    pub digest: [u8; 32],
}

impl Version {
    pub fn of(owner: &Owner, draft: Draft) -> Result<Self, Unfit> {
        let Draft { about, text, chunks } = draft;
        u32::try_from(chunks.len()).map_err(|_| Unfit::Chunks)?;
        let unfit = |chunk: &Chunk| text.get(chunk.span.clone()).is_none();
        if let Some(chunk) = chunks.iter().position(unfit) {
            return Err(Unfit::Span { chunk, span: chunks[chunk].span.clone() });
        }
        let whole = Language::of(&text);
        let mut languages = Languages::none();
        let stems = chunks.iter().map(|chunk| {
            let content = said(&text, chunk);
            let language = Language::of_part(content, whole);
            languages = languages.with(language);
            let headings = chunk.heading.iter().map(String::as_str);
            Stems::of(headings.chain([content]), language)
        });
        let stems = stems.collect();
        let source = SourceId::of(owner, &about.collection, &about.identifier);
        let document = DocumentId::of(owner, &source, &about.checksum);
        let digest = digest(&about, &text, &chunks);
        Ok(Self { source, document, about, text, chunks, stems, languages, digest })
    }

    /// What the chunk at this place says.
    #[must_use]
    pub fn content(&self, index: usize) -> &str {
        self.chunks.get(index).map_or("", |chunk| said(&self.text, chunk))
    }

    /// What the document can be filtered by: name and value.
    #[must_use]
    pub fn labels(&self) -> BTreeSet<(String, String)> {
        self.about.labels(&self.source, &self.document)
    }
}

fn said<'a>(text: &'a str, chunk: &'a Chunk) -> &'a str {
    match &chunk.content {
        Some(content) => content,
        None => text.get(chunk.span.clone()).unwrap_or_default(),
    }
}

fn digest(about: &About, text: &str, chunks: &[Chunk]) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut take = |part: &str| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    take(text);
    let About { metadata, pages, ingested_at: _, .. } = about;
    for text in [
        &about.collection,
        &about.source_type,
        &about.identifier,
        &about.checksum,
        &about.kind,
        &about.file_type,
    ] {
        take(text);
    }
    for text in [&about.url, &about.file_name, &about.title] {
        take(&json!(text).to_string());
    }
    take(&json!([metadata, pages]).to_string());
    for chunk in chunks {
        let Chunk { span, content, page, layout, heading, bbox } = chunk;
        take(
            &json!([span.start, span.end, content, page, layout.as_str(), heading, bbox])
                .to_string(),
        );
    }
    hash.finalize().into()
}

impl About {
    /// What a document can be filtered by. What the house knows about it comes before what its user says.
    #[must_use]
    pub fn labels(&self, source: &SourceId, document: &DocumentId) -> BTreeSet<(String, String)> {
        let mut labels = BTreeSet::new();
        for (name, value) in self.known(source, document) {
            labels.extend(as_text(&Json::from(&value)).map(|text| (name.to_owned(), text)));
        }
        for (name, value) in &self.metadata {
            if is_of_chunk(name) || self.known(source, document).any(|(known, _)| known == name) {
                continue;
            }
            let values = match value {
                Value::Array(values) => values.as_slice(),
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Object(_) => std::slice::from_ref(value),
            };
            let texts = values.iter().filter_map(|value| as_text(&Json::from(value)));
            labels.extend(texts.map(|text| (name.clone(), text)));
        }
        labels
    }

    fn known(
        &self,
        source: &SourceId,
        document: &DocumentId,
    ) -> impl Iterator<Item = (&'static str, Value)> {
        [
            ("source_id", json!(source.as_str())),
            ("document_id", json!(document.as_str())),
            ("source_type", json!(self.source_type)),
            ("collection", json!(self.collection)),
            ("kind", json!(self.kind)),
            ("file_type", json!(self.file_type)),
            ("file_name", json!(self.file_name)),
            ("title", json!(self.title)),
            ("checksum", json!(self.checksum)),
        ]
        .into_iter()
    }
}

/// A source and its current version, as an index knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub id: SourceId,
    pub document: DocumentId,
    pub about: About,
    pub chunks: u32,
    /// The length of its text in bytes.
    pub length: u64,
    /// Whether the source was gone when somebody last looked for it.
    pub missing: bool,
}

/// A chunk, as an index gives it back.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChunk {
    pub id: ChunkId,
    pub source: SourceId,
    pub about: Arc<About>,
    pub content: String,
    pub span: Range<usize>,
    pub page: Option<u32>,
    pub layout: LayoutType,
    pub heading: Vec<String>,
    pub bbox: Option<[f64; 4]>,
}

impl StoredChunk {
    /// What is known about the chunk: the user's own, then everything that it can be filtered by and where it stands.
    #[must_use]
    pub fn metadata(&self) -> Map<String, Value> {
        let mut all = self.about.metadata.clone();
        for (name, value) in self.about.known(&self.source, &self.id.document) {
            all.insert(name.to_owned(), value);
        }
        let chunk = [
            ("page_number", json!(self.page)),
            ("layout_type", json!(self.layout.as_str())),
            ("chunk_index", json!(self.id.index)),
            ("heading", json!(self.heading)),
            ("span", json!([self.span.start, self.span.end])),
        ];
        all.extend(chunk.map(|(name, value)| (name.to_owned(), value)));
        all
    }

    /// What a model is given of it: a passage says more under its headings.
    #[must_use]
    pub fn passage(&self) -> String {
        let title = self.about.title.iter().map(String::as_str);
        let headings =
            title.chain(self.heading.iter().map(String::as_str)).collect::<Vec<_>>().join(" > ");
        if headings.is_empty() {
            self.content.clone()
        } else {
            format!("{headings}\n{}", self.content)
        }
    }
}
