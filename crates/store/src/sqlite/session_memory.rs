//! Implements the engine's port for notes that outlive a run.

use async_trait::async_trait;
use consign_engine::{
    Owner,
    session_memory::{Note, SessionMemory},
    store::Error,
};

use super::{read, store::SqliteStore, write::WriteNote};

#[async_trait]
impl SessionMemory for SqliteStore {
    async fn note(&self, owner: &Owner, topic: &str, note: Note) -> Result<(), Error> {
        self.post(WriteNote { owner: owner.clone(), topic: topic.to_owned(), note }).await
    }

    async fn notes(&self, owner: &Owner, topic: &str, most: usize) -> Result<Vec<Note>, Error> {
        let (owner, topic) = (owner.clone(), topic.to_owned());
        self.read(move |db| read::notes(db, &owner, &topic, most)).await
    }
}
