//! Texts that a caller has at hand are taken in without a run: what they say is read as a file's content would be, and a
//! batch of them is one commit of the index.
//!
//! [`take_texts`] answers when the batch is durable. A caller that was interrupted sends the same texts again: those that
//! are kept already are left alone.

use std::collections::HashSet;

use consign_engine::{Fault, Owner};
use consign_knowledge::{About, DocumentId, Draft, Put, SourceId, Version};
use consign_parsers::{Document, ParseError};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tokio::task::JoinSet;

use crate::{
    Library, Reading,
    failure::Failed,
    ingest::{FileRow, RowStatus, check_collection},
    reading::{cut, kept},
};

/// The word in `source_type` of what came as text.
const SOURCE_TYPE: &str = "stream";
/// Texts that are read at the same time.
const AT_ONCE: usize = 4;

/// A text to take in.
#[derive(Clone, Debug, PartialEq)]
pub struct TextInput {
    /// What the source is called: the same name in the same collection is the same source.
    pub id: String,
    pub text: String,
    pub title: Option<String>,
    pub collection: String,
    /// The user's own facts; searches can be filtered by them.
    pub metadata: Map<String, Value>,
}

impl TextInput {
    /// Refuses what no source can be.
    pub fn check(&self) -> Result<(), Fault> {
        check_collection(&self.collection)?;
        if self.id.trim().is_empty() {
            return Err(Fault::permanent("INVALID_INPUT", "the id of a text is empty"));
        }
        Ok(())
    }

    fn checksum(&self) -> String {
        hex::encode(Sha256::digest(&self.text))
    }
}

/// Takes texts in, all in one commit, and says what became of each, in their order. An error is one of this machine: of
/// the database, or of the process that reads.
pub async fn take_texts(
    library: &Library,
    owner: &Owner,
    texts: Vec<TextInput>,
) -> Result<Vec<FileRow>, Fault> {
    let read = read(library, &texts).await?;
    let (mut rows, mut versions, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for (text, read) in texts.iter().zip(read) {
        let mut row = row(owner, text);
        match read {
            Ok(document) => {
                let version = version(library, owner, text, document, &mut row)?;
                places.push(rows.len());
                versions.push(version);
            }
            Err(error) => {
                let failed = Failed::of_file(&error).at(library.now());
                if failed.is_skip() {
                    row.status = RowStatus::Skipped;
                }
                row.error = Some(failed);
            }
        }
        rows.push(row);
    }
    // One commit has a source once. A caller that says something twice means the last.
    for (places, versions) in apart(places, versions) {
        let put = library.index.put(owner, versions).await;
        let put = put.map_err(|error| Fault::transient("DATABASE_ERROR", error.to_string()))?;
        for (place, put) in places.into_iter().zip(put) {
            rows[place].status = match put {
                Put::Taken => RowStatus::Taken,
                Put::Replaced => RowStatus::Replaced,
                Put::Unchanged => RowStatus::Unchanged,
            };
        }
    }
    Ok(rows)
}

/// Reads texts, several at once, and gives what they say in their order.
async fn read(
    library: &Library,
    texts: &[TextInput],
) -> Result<Vec<Result<Document, ParseError>>, Fault> {
    let mut read: Vec<Option<Result<Document, ParseError>>> = Vec::new();
    read.resize_with(texts.len(), || None);
    let (mut under_way, mut waiting) = (JoinSet::new(), texts.iter().enumerate());
    loop {
        while under_way.len() < AT_ONCE
            && let Some((place, text)) = waiting.next()
        {
            let (reader, bytes) = (library.reader.clone(), text.text.clone().into_bytes());
            under_way.spawn(async move {
                (place, reader.read(bytes, Reading::default(), Box::new(|| false)).await)
            });
        }
        let Some(done) = under_way.join_next().await else { break };
        let (place, document) =
            done.map_err(|cause| Fault::permanent("INTERNAL_ERROR", cause.to_string()))?;
        if let Err(error) = &document
            && error.code().is_none()
        {
            return Err(Fault::transient("PARSER_NOT_STARTED", error.to_string()));
        }
        read[place] = Some(document);
    }
    Ok(read.into_iter().flatten().collect())
}

/// The row of a text that is not kept yet.
fn row(owner: &Owner, text: &TextInput) -> FileRow {
    FileRow {
        source_id: SourceId::of(owner, &text.collection, &text.id).to_string(),
        document_id: None,
        source_identifier: text.id.clone(),
        collection: text.collection.clone(),
        status: RowStatus::Failed,
        chunks: 0,
        pages: 0,
        checksum: Some(text.checksum()),
        error: None,
        warnings: Vec::new(),
        fetched_as: None,
    }
}

fn version(
    library: &Library,
    owner: &Owner,
    text: &TextInput,
    document: Document,
    row: &mut FileRow,
) -> Result<Version, Fault> {
    let chunks = kept(&document, &cut(&document));
    let about = About {
        collection: text.collection.clone(),
        source_type: SOURCE_TYPE.to_owned(),
        identifier: text.id.clone(),
        url: None,
        checksum: text.checksum(),
        kind: document.kind.to_string(),
        file_type: document.kind.file_type().as_str().to_owned(),
        file_name: None,
        title: text.title.clone().or(document.title),
        metadata: text.metadata.clone(),
        pages: document.pages.unwrap_or(1),
        ingested_at: library.now(),
    };
    let source = SourceId::of(owner, &text.collection, &text.id);
    row.document_id = Some(DocumentId::of(owner, &source, &about.checksum).to_string());
    row.chunks = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
    row.pages = about.pages;
    row.warnings = document.warnings;
    Version::of(owner, Draft { about, text: document.text, chunks })
        .map_err(|unfit| Fault::permanent("INTERNAL_ERROR", unfit.to_string()))
}

/// Commits, in order, none of which has a source twice.
fn apart(places: Vec<usize>, versions: Vec<Version>) -> Vec<(Vec<usize>, Vec<Version>)> {
    let mut commits: Vec<(Vec<usize>, Vec<Version>)> = Vec::new();
    let mut seen = HashSet::new();
    for (place, version) in places.into_iter().zip(versions) {
        if commits.is_empty() || !seen.insert(version.source.clone()) {
            seen = HashSet::from([version.source.clone()]);
            commits.push((Vec::new(), Vec::new()));
        }
        if let Some((places, versions)) = commits.last_mut() {
            places.push(place);
            versions.push(version);
        }
    }
    commits
}
