//! Messages: the types that are contracts of their own.

use super::Wire;
use crate::{
    Breach, Contract,
    json::{self, Malformed},
};

/// A type with a contract. [`Message::from_json`] is the way in for what others have written.
pub trait Message: Wire {
    /// `family/name`.
    const NAME: &'static str;
    const TITLE: &'static str;

    /// The published contract of this type.
    #[must_use]
    fn contract() -> &'static Contract {
        Contract::find(Self::NAME).expect("every message is listed in its family")
    }

    /// Reads a document and holds it to its contract.
    fn from_json(bytes: &[u8]) -> Result<Self, Refused> {
        Self::from_json_within(bytes, json::Limits::default())
    }

    /// Reads a document within these limits, and checks it against its contract.
    fn from_json_within(bytes: &[u8], limits: json::Limits) -> Result<Self, Refused> {
        let document = json::parse_within(bytes, limits)?;
        let verdict = Self::contract().schema().check(&document);
        if !verdict.is_valid() {
            return Err(Refused::Breached(verdict.breaches));
        }
        Self::read(&document).map_err(|breach| Refused::Breached(vec![breach]))
    }

    /// Writes the document on one line and is gone, which costs less.
    fn into_json(self) -> String {
        self.give().text()
    }

    /// Writes the document on one line.
    fn to_json(&self) -> String {
        self.write().text()
    }
}

/// A document that did not get in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// At least one.
    #[error("breaks its contract: {}", first(.0))]
    Breached(Vec<Breach>),
}

fn first(breaches: &[Breach]) -> String {
    let others = breaches.len().saturating_sub(1);
    match breaches.first() {
        None => String::new(),
        Some(breach) if others == 0 => breach.to_string(),
        Some(breach) => format!("{breach} (and {others} more)"),
    }
}
