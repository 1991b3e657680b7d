//! The engine's port to a memory: notes that are kept from one run to the next.
//!
//! Notes belong to an owner and a topic, such as a session, and no owner sees another's. They help,
//! and no run depends on them: what a run read of them is in its journal.

use async_trait::async_trait;

use crate::{At, Data, Owner, store::Error};

#[async_trait]
pub trait SessionMemory: Send + Sync {
    /// Writes a note, in the place of one of the same name. Of a topic only the newest
    /// [`MOST_NOTES`] are kept.
    async fn note(&self, owner: &Owner, topic: &str, note: Note) -> Result<(), Error>;

    /// The newest notes on a topic, so many, the oldest first.
    async fn notes(&self, owner: &Owner, topic: &str, most: usize) -> Result<Vec<Note>, Error>;
}

/// How many notes a topic keeps.
pub const MOST_NOTES: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub name: String,
    pub text: Data,
    pub at: At,
}
