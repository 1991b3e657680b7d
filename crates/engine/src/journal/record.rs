//! One event of a journal as it is stored: sequence number, time, actor, body and hash.

use std::borrow::Cow;

use super::{
    Body, Hash, Salt,
    chain::{commitment, link},
};
use crate::{Actor, At, Data, Seq};

#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub seq: Seq,
    pub at: At,
    pub actor: Actor,
    pub kind: Cow<'static, str>,
    pub content: Content,
    /// The hash of the event before it. A store need not keep it twice.
    pub prev: Option<Hash>,
    pub hash: Hash,
}

/// What is kept of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Kept(Data, Salt),
    /// Body and salt are erased; this still binds what they were.
    Redacted(Hash),
}

impl Content {
    /// What binds the body, whether that is kept or not.
    #[must_use]
    pub fn commitment(&self) -> Hash {
        match self {
            Self::Kept(body, salt) => commitment(*salt, body),
            Self::Redacted(bound) => *bound,
        }
    }
}

impl Record {
    /// Chains an event to the one before it.
    #[must_use]
    pub fn new(
        seq: Seq,
        at: At,
        actor: Actor,
        body: &Body,
        salt: Salt,
        prev: Option<Hash>,
    ) -> Self {
        let (kind, data) = (body.kind(), body.to_data());
        let hash = link(seq, at, actor.as_str(), kind, prev, commitment(salt, &data));
        let content = Content::Kept(data, salt);
        Self { seq, at, actor, kind: Cow::Borrowed(kind), content, prev, hash }
    }

    /// Whether its hash matches its content.
    pub(super) fn holds(&self) -> bool {
        let bound = self.content.commitment();
        link(self.seq, self.at, self.actor.as_str(), &self.kind, self.prev, bound) == self.hash
    }

    /// The size of its body in bytes, by which pages of events are bounded.
    #[must_use]
    pub fn size(&self) -> usize {
        match &self.content {
            Content::Kept(body, _) => body.as_str().len(),
            Content::Redacted(_) => 0,
        }
    }

    /// Its body. `None` once that is redacted.
    pub fn body(&self) -> Result<Option<Body>, String> {
        match &self.content {
            Content::Kept(body, _) => Body::read(&self.kind, body).map(Some),
            Content::Redacted(_) => Ok(None),
        }
    }
}
