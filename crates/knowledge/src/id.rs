//! Names of sources, documents and chunks, each a type of its own.
//!
//! They follow from what they name: a source from its owner, collection and identifier, a document from its source and
//! the checksum of its content. So the same thing has the same name whoever takes it in, and whenever; and a name of
//! another owner cannot be guessed from the name of a file alone.

use std::fmt;

use consign_engine::Owner;
use sha2::{Digest, Sha256};

/// A place that documents come from. It stays when the content changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(String);

/// One version of what a source says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(String);

/// A part of a document: `document_id:index`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId {
    pub document: DocumentId,
    pub index: u32,
}

impl SourceId {
    #[must_use]
    pub fn of(owner: &Owner, collection: &str, identifier: &str) -> Self {
        Self(format!("src_{}", digest(&["source", owner.as_str(), collection, identifier])))
    }

    /// A name that somebody gave us. Whether there is such a source is another question.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl DocumentId {
    #[must_use]
    pub fn of(owner: &Owner, source: &SourceId, checksum: &str) -> Self {
        Self(format!("doc_{}", digest(&["document", owner.as_str(), source.as_str(), checksum])))
    }

    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ChunkId {
    /// Reads `document_id:index`, in the one form that it is written in.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (document, index) = text.rsplit_once(':')?;
        let id = Self { document: DocumentId::named(document), index: index.parse().ok()? };
        (!document.is_empty() && id.to_string() == text).then_some(id)
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.document, self.index)
    }
}

/// Half of a SHA-256 over the parts, each with its length, so that no two lists of parts look alike.
fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_follows_from_each_part_of_what_it_names() {
        let of = |owner: &str, collection, identifier| {
            SourceId::of(&owner.into(), collection, identifier)
        };
        let one = of("ada", "c", "x");
        assert_eq!(one, of("ada", "c", "x"));
        for other in
            [of("bob", "c", "x"), of("ada", "d", "x"), of("ada", "cx", ""), of("adac", "", "x")]
        {
            assert_ne!(one, other);
        }
        let owner = "ada".into();
        let document = DocumentId::of(&owner, &one, "1");
        assert_ne!(document, DocumentId::of(&owner, &one, "2"));
        assert_eq!(document.as_str().len(), 36);
    }

    #[test]
    fn a_chunk_is_read_only_in_the_form_it_is_written_in() {
        let id = ChunkId::parse("doc_1:17").unwrap();
        assert_eq!(
            (id.document.as_str(), id.index, id.to_string().as_str()),
            ("doc_1", 17, "doc_1:17")
        );
        for other in
            ["doc_1", "doc_1:", ":1", "doc_1:+1", "doc_1:01", "doc_1:-1", "doc_1:4294967296"]
        {
            assert_eq!(ChunkId::parse(other), None, "{other}");
        }
    }
}
