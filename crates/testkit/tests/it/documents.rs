//! The index in memory does what every index must.

use std::sync::Arc;

use async_trait::async_trait;
use consign_knowledge::Index;
use consign_testkit::{conformance::documents::IndexPlace, documents::MemoryIndex};

struct Memory(Arc<MemoryIndex>);

#[async_trait]
impl IndexPlace for Memory {
    async fn open_index(&self) -> Arc<dyn Index> {
        self.0.clone()
    }
}

consign_testkit::index_conformance!(Memory(Arc::default()));
