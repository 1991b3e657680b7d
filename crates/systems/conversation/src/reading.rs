//! From a file to what is kept of it: a document and its chunks.

use std::time::Duration;

use async_trait::async_trait;
use consign_knowledge as knowledge;
use consign_parsers::{Chunk, Document, Measure, ParseError, chunks};

use serde_json::{Value, json};

use crate::ingest::OcrWish;

/// Reads files of strangers: in a process of their own.
#[async_trait]
pub trait FileReader: Send + Sync {
    /// Reads a file. It stops when `stopped` says so.
    async fn read(
        &self,
        bytes: Vec<u8>,
        reading: Reading,
        stopped: Box<dyn Fn() -> bool + Send + Sync>,
    ) -> Result<Document, ParseError>;
}

/// How a file is read.
#[derive(Clone, Default)]
pub struct Reading {
    /// The file's name: it decides only between kinds of text that look alike.
    pub name: Option<String>,
    /// What the caller takes it for, as the contract's word; the content decides.
    pub wished: Option<String>,
    pub password: Option<String>,
    pub ocr: Option<OcrWish>,
    /// Every page is read as a picture, also where it has text.
    pub force_ocr: bool,
    pub time: Option<Duration>,
}

/// The chunks of a document. The same document always has the same.
pub(crate) fn cut(document: &Document) -> Vec<Chunk> {
    chunks(document, &Measure::default())
}

/// The longest names of columns that each part of a table gets. Longer ones would make a large index of a small file.
const LONGEST_COLUMNS: usize = 2 << 10;

/// The chunks as an index keeps them.
pub(crate) fn kept(document: &Document, cut: &[Chunk]) -> Vec<knowledge::Chunk> {
    let one = |chunk: &Chunk| {
        // A part of a table says what its columns are.
        let named = chunk.columns.clone().filter(|columns| columns.len() <= LONGEST_COLUMNS);
        let content = named.and_then(|columns| {
            let columns = document.text.get(columns)?.trim_end();
            let rows = document.text.get(chunk.span.clone())?;
            Some(format!("{columns}\n{rows}"))
        });
        knowledge::Chunk {
            span: chunk.span.clone(),
            content,
            page: chunk.page,
            layout: chunk.layout.into(),
            heading: chunk.heading.to_vec(),
            bbox: chunk.bbox,
        }
    };
    cut.iter().map(one).collect()
}

/// The chunks of a document as contract `crew/parser.output` has them, with heading and span beside.
#[must_use]
pub fn parsed_chunks(document: &Document, id: &str) -> Vec<Value> {
    let cut = cut(document);
    let kept = kept(document, &cut);
    let one = |(index, chunk): (usize, &knowledge::Chunk)| {
        let said = document.text.get(chunk.span.clone()).unwrap_or_default();
        json!({
            "chunk_id": format!("{id}:{index}"),
            "content": chunk.content.as_deref().unwrap_or(said),
            "chunk_index": index,
            "page_number": chunk.page,
            "layout_type": chunk.layout.as_str(),
            "bbox": chunk.bbox,
            "heading": chunk.heading,
            "span": [chunk.span.start, chunk.span.end],
        })
    };
    kept.iter().enumerate().map(one).collect()
}
