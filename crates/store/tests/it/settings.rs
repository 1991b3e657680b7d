//! What owners have set.

use std::sync::Arc;

use async_trait::async_trait;
use consign_accounts::SettingsStore;
use consign_store::{Options, SqliteStore};
use consign_testkit::conformance::setting::SettingsPlace;

struct Folder(tempfile::TempDir);

#[async_trait]
impl SettingsPlace for Folder {
    async fn open_settings(&self) -> Arc<dyn SettingsStore> {
        Arc::new(SqliteStore::open(self.0.path(), &Options::default()).expect("a store"))
    }
}

consign_testkit::settings_conformance!(Folder(tempfile::tempdir().expect("a folder")));
