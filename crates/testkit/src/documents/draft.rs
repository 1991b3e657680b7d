//! Short ways to make documents.

use consign_contracts::crew::LayoutType;
use consign_engine::Owner;
use consign_knowledge::{About, Chunk, Draft, Version};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::draft::DAWN;

/// A document that is being made: one chunk for each line of its text.
#[derive(Clone, Debug)]
pub struct DocumentDraft(Draft);

/// A text document of the collection `default`.
#[must_use]
pub fn document(identifier: &str, text: &str) -> DocumentDraft {
    let mut chunks = Vec::new();
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let chunk = Chunk {
            span: from..from + line.trim_end().len(),
            content: None,
            page: None,
            layout: LayoutType::Text,
            heading: Vec::new(),
            bbox: None,
        };
        chunks.push(chunk);
        from += line.len();
    }
    let about = About {
        collection: "default".to_owned(),
        source_type: "local".to_owned(),
        identifier: identifier.to_owned(),
        url: None,
        checksum: format!("{:064x}", text.len()),
        kind: "txt".to_owned(),
        file_type: "txt".to_owned(),
        file_name: Some(identifier.to_owned()),
        title: None,
        metadata: Map::new(),
        pages: 1,
        ingested_at: DAWN,
    };
    DocumentDraft(Draft { about, text: text.to_owned(), chunks })
}

impl DocumentDraft {
    #[must_use]
    pub fn collection(mut self, name: &str) -> Self {
        name.clone_into(&mut self.0.about.collection);
        self
    }

    #[must_use]
    pub fn metadata(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.about.metadata.insert(name.to_owned(), value.into());
        self
    }

    /// Changes what is known about the document.
    #[must_use]
    pub fn about(mut self, change: impl FnOnce(&mut About)) -> Self {
        change(&mut self.0.about);
        self
    }

    /// Changes the chunk at this place.
    #[must_use]
    pub fn chunk(mut self, index: usize, change: impl FnOnce(&mut Chunk)) -> Self {
        change(&mut self.0.chunks[index]);
        self
    }

    /// # Panics
    /// If a chunk was changed to one that does not fit.
    #[must_use]
    pub fn of(self, owner: &str) -> Version {
        Version::of(&Owner::from(owner), self.0).expect("its chunks are lines of its text")
    }
}

/// Few words, so that they meet.
const WORDS: [&str; 16] = [
    "refund", "refunds", "invoice", "delay", "delayed", "price", "contract", "Vertrag", "prix",
    "the", "and", "14", "ERR_LATE", "shipping", "ship", "東京",
];

fn any_text(lines: usize) -> impl Strategy<Value = String> {
    let line = prop::collection::vec(prop::sample::select(&WORDS[..]), 1..12);
    let line = line.prop_map(|words| words.join(" "));
    prop::collection::vec(line, 1..=lines).prop_map(|lines| lines.join("\n"))
}

/// A version of one of ten sources, in one of two collections and with a label.
pub fn any_version() -> impl Strategy<Value = DocumentDraft> {
    (0..10_u8, any_text(6), 0..2_u8, 0..3_u8).prop_map(|(source, text, collection, tag)| {
        document(&format!("{source}.txt"), &text)
            .collection(if collection == 0 { "default" } else { "other" })
            .metadata("tag", tag)
            .chunk(0, |chunk| chunk.page = Some(u32::from(tag) + 1))
    })
}

/// A few words that documents may have.
pub fn any_question() -> impl Strategy<Value = String> {
    let known = prop::sample::select(&WORDS[..]);
    let word = prop_oneof![9 => known.prop_map(str::to_owned), 1 => "[a-z]{3,9}"];
    prop::collection::vec(word, 1..5).prop_map(|words| words.join(" "))
}
