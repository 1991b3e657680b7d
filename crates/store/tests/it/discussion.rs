//! What people say about runs.

use std::sync::Arc;

use async_trait::async_trait;
use consign_engine::discussion::Discussion;
use consign_store::{Options, SqliteStore};
use consign_testkit::conformance::discussing::DiscussionPlace;

struct Folder(tempfile::TempDir);

#[async_trait]
impl DiscussionPlace for Folder {
    async fn open_discussion(&self) -> Arc<dyn Discussion> {
        Arc::new(SqliteStore::open(self.0.path(), &Options::default()).expect("a store"))
    }
}

consign_testkit::discussion_conformance!(Folder(tempfile::tempdir().expect("a folder")));
