mod entry;
mod repository;

pub use entry::Entry;
pub use repository::{EntryRepository, InMemoryEntryRepository, StoreError};
