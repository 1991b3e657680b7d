//! Conversations.

use std::sync::Arc;

use async_trait::async_trait;
use consign_knowledge::conversation::Conversations;
use consign_store::{Options, SqliteStore};
use consign_testkit::conformance::conversing::ConversationPlace;

struct Folder(tempfile::TempDir);

#[async_trait]
impl ConversationPlace for Folder {
    async fn open_conversations(&self) -> Arc<dyn Conversations> {
        Arc::new(SqliteStore::open(self.0.path(), &Options::default()).expect("a store"))
    }
}

consign_testkit::conversation_conformance!(Folder(tempfile::tempdir().expect("a folder")));
