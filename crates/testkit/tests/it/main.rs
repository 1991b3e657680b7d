//! The store in memory keeps the port's promise.

mod discussion;
mod documents;
mod list;
mod memory;
mod settings;
mod simulation;

use std::sync::Arc;

use async_trait::async_trait;
use consign_accounts::AccountStore;
use consign_engine::{store::Store, vault::Vault};
use consign_testkit::{
    conformance::{AccountPlace, StorePlace, VaultPlace},
    memory::MemoryStore,
};

/// Lasts as long as the test.
struct InMemory(MemoryStore);

#[async_trait]
impl StorePlace for InMemory {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(self.0.clone())
    }
}

#[async_trait]
impl VaultPlace for InMemory {
    async fn open_vault(&self) -> Arc<dyn Vault> {
        Arc::new(self.0.clone())
    }
}

#[async_trait]
impl AccountPlace for InMemory {
    async fn open_accounts(&self) -> Arc<dyn AccountStore> {
        Arc::new(self.0.clone())
    }
}

consign_testkit::conformance!(InMemory(MemoryStore::new()));
consign_testkit::vault_conformance!(InMemory(MemoryStore::new()));
consign_testkit::accounts_conformance!(InMemory(MemoryStore::new()));
