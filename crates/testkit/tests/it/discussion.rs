//! What people say about runs, in memory.

use std::sync::Arc;

use async_trait::async_trait;
use consign_engine::discussion::Discussion;
use consign_testkit::{conformance::discussing::DiscussionPlace, memory::MemoryStore};

struct InMemory(MemoryStore);

#[async_trait]
impl DiscussionPlace for InMemory {
    async fn open_discussion(&self) -> Arc<dyn Discussion> {
        Arc::new(self.0.clone())
    }
}

consign_testkit::discussion_conformance!(InMemory(MemoryStore::new()));
