//! What owners have set, in memory.

use std::sync::Arc;

use async_trait::async_trait;
use consign_accounts::SettingsStore;
use consign_testkit::{conformance::setting::SettingsPlace, memory::MemoryStore};

struct InMemory(MemoryStore);

#[async_trait]
impl SettingsPlace for InMemory {
    async fn open_settings(&self) -> Arc<dyn SettingsStore> {
        Arc::new(self.0.clone())
    }
}

consign_testkit::settings_conformance!(InMemory(MemoryStore::new()));
