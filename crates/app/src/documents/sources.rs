//! The sources that are known: listed, shown, removed.

use std::ops::Range;

use consign_engine::Owner;
use consign_knowledge::{Source, SourceId, SourceQuery};
use serde_json::{Value, json};

use crate::{
    Home,
    conversations::forget_source,
    error::{Error, Refused},
};

/// A page of sources.
pub type SourceList = Vec<Source>;

/// Sources by collection and identifier.
pub async fn list(home: &Home, owner: &Owner, query: &SourceQuery) -> Result<SourceList, Error> {
    Ok(home.library.index.sources(owner, query).await?)
}

/// A source by its id.
pub async fn show(home: &Home, owner: &Owner, id: &str) -> Result<Source, Error> {
    let found = home.library.index.source(owner, &SourceId::named(id)).await?;
    found.ok_or_else(|| {
        Refused::new("NOT_FOUND", format!("there is no source {id:?}"))
            .hint("`consign sources list` shows them")
            .into()
    })
}

/// What a source says, or a part of it.
pub async fn text(
    home: &Home,
    owner: &Owner,
    source: &Source,
    span: Option<Range<usize>>,
) -> Result<String, Error> {
    let whole = 0..usize::try_from(source.length).unwrap_or(usize::MAX);
    let text = home.library.index.text(owner, &source.document, span.unwrap_or(whole)).await?;
    text.ok_or_else(|| Refused::new("NOT_FOUND", "the document has changed meanwhile").into())
}

/// Removes a source and everything that came from it. Says whether there was one.
pub async fn remove(home: &Home, owner: &Owner, id: &str) -> Result<bool, Error> {
    let source = SourceId::named(id);
    if let Some(known) = home.library.index.source(owner, &source).await? {
        // An ingest that is under way would bring it back.
        super::leftovers::forget(home, owner, &known).await?;
        super::leftovers::redact_later(home, owner, &known).await?;
    }
    let removed = home.library.index.remove(owner, &source).await?;
    // Conversations were given passages of it, and their journals have them.
    forget_source(home, owner, &home.user, &source).await?;
    // An ingest that was killed has left copies.
    super::leftovers::sweep(home).await?;
    Ok(removed)
}

/// A source, as lists show it.
#[must_use]
pub fn row(source: &Source) -> Value {
    let about = &source.about;
    json!({
        "source_id": source.id.as_str(),
        "document_id": source.document.as_str(),
        "source_type": about.source_type,
        "source_identifier": about.identifier,
        "collection": about.collection,
        "kind": about.kind,
        "checksum": about.checksum,
        "pages": about.pages,
        "chunks": source.chunks,
        "ingested_at": about.ingested_at.to_string(),
        "title": about.title,
        "missing": source.missing,
    })
}
