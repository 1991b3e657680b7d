use std::sync::Mutex;

use crate::Entry;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the store is gone")]
    Gone,
}

pub trait EntryRepository {
    fn all(&self) -> Result<Vec<Entry>, StoreError>;
    fn add(&self, entry: Entry) -> Result<(), StoreError>;
}

#[derive(Default)]
pub struct InMemoryEntryRepository(Mutex<Vec<Entry>>);

impl EntryRepository for InMemoryEntryRepository {
    fn all(&self) -> Result<Vec<Entry>, StoreError> {
        Ok(self.0.lock().map_err(|_| StoreError::Gone)?.clone())
    }

    fn add(&self, entry: Entry) -> Result<(), StoreError> {
        self.0.lock().map_err(|_| StoreError::Gone)?.push(entry);
        Ok(())
    }
}
