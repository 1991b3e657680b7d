//! The hash chain of a journal: any event that is changed, dropped, swapped or cut off is detected.
//!
//! A body is committed to with a random salt: erase both, and the chain still holds. The hash of an
//! event is SHA-256 over lines of text (docs/spec/engine.md), so that any language can check it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest, Sha256};

use super::Record;
use crate::{At, Data, Seq};

/// A SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash(pub [u8; 32]);

/// What a body's commitment is salted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Salt(pub [u8; 16]);

impl Hash {
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Reads 64 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Self(bytes))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; 64];
        f.write_str(written(&self.0, &mut text))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("a hash has 64 hexadecimal digits"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; 32];
        f.write_str(written(&self.0, &mut text))
    }
}

/// Bytes as hexadecimal digits, in `text`, which is twice as long. Nothing is allocated.
fn written<'a>(bytes: &[u8], text: &'a mut [u8]) -> &'a str {
    hex::encode_to_slice(bytes, text).expect("the text is twice as long as the bytes");
    std::str::from_utf8(text).expect("hexadecimal digits are ASCII")
}

/// What the body is bound by: its salt in hexadecimal, a line break, its text.
pub(super) fn commitment(salt: Salt, body: &Data) -> Hash {
    let mut text = [0; 32];
    let mut hash = Sha256::new();
    hash.update(written(&salt.0, &mut text));
    hash.update(b"\n");
    hash.update(body.as_str());
    Hash(hash.finalize().into())
}

/// The hash of an event: seven lines.
pub(super) fn link(
    seq: Seq,
    at: At,
    actor: &str,
    kind: &str,
    prev: Option<Hash>,
    commitment: Hash,
) -> Hash {
    let (mut before, mut bound) = ([0; 64], [0; 64]);
    let prev = prev.as_ref().map_or("-", |prev| written(&prev.0, &mut before));
    let lines = format!(
        "consign event 1\n{seq}\n{at}\n{actor}\n{kind}\n{prev}\n{}\n",
        written(&commitment.0, &mut bound)
    );
    Hash::of(lines.as_bytes())
}

/// Where a chain does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Break {
    #[error("event {found} stands where event {expected} should: events were removed or swapped")]
    Order { expected: Seq, found: Seq },
    #[error("event {seq} was changed: its hash is not that of what it says")]
    Changed { seq: Seq },
    #[error("event {seq} does not follow from the one before it")]
    Unlinked { seq: Seq },
    #[error("event {seq} is earlier than the one before it")]
    Backwards { seq: Seq },
    #[error("event {seq} cannot be read: {cause}")]
    Unreadable { seq: Seq, cause: String },
    #[error("the journal ends at event {found}, and the run has {expected}: it was cut off")]
    Cut { expected: Seq, found: Seq },
    #[error("the journal ends with {found}, and the run with {expected}")]
    Head { expected: Hash, found: Hash },
    #[error("no event has the hash {expected}: the journal was written anew from before it")]
    Rewritten { expected: Hash },
    #[error("the journal is of run {found}")]
    OtherRun { found: String },
    #[error("there is no event")]
    Empty,
}

/// Walks a journal from its first event and checks each link.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    last: Option<(Seq, At, Hash)>,
}

impl Chain {
    /// A walk that begins after an event that is known to be right.
    pub(crate) fn after(seq: Seq, at: At, hash: Hash) -> Self {
        Self { last: Some((seq, at, hash)) }
    }

    /// Takes the next event, or says why it cannot be the next.
    pub fn take(&mut self, record: &Record) -> Result<(), Break> {
        let seq = record.seq;
        let expected = self.last.map_or(Seq(0), |(seq, ..)| seq.next());
        if seq != expected {
            return Err(Break::Order { expected, found: seq });
        }
        if record.prev != self.last.map(|(.., hash)| hash) {
            return Err(Break::Unlinked { seq });
        }
        if self.last.is_some_and(|(_, at, _)| record.at < at) {
            return Err(Break::Backwards { seq });
        }
        if !record.holds() {
            return Err(Break::Changed { seq });
        }
        self.last = Some((seq, record.at, record.hash));
        Ok(())
    }

    /// The newest event and its hash.
    #[must_use]
    pub fn head(&self) -> Option<(Seq, Hash)> {
        self.last.map(|(seq, _, hash)| (seq, hash))
    }
}
