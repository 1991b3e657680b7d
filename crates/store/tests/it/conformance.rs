//! What every store must do.

use std::sync::Arc;

use async_trait::async_trait;
use consign_accounts::AccountStore;
use consign_engine::{store::Store, vault::Vault};
use consign_store::{Options, SqliteStore};
use consign_testkit::conformance::{AccountPlace, StorePlace, VaultPlace};

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        self.0.path()
    }
}

#[async_trait]
impl StorePlace for Folder {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(self.0.path(), &Options::default()).expect("a store"))
    }
}

#[async_trait]
impl VaultPlace for Folder {
    async fn open_vault(&self) -> Arc<dyn Vault> {
        Arc::new(SqliteStore::open(self.0.path(), &Options::default()).expect("a store"))
    }
}

#[async_trait]
impl AccountPlace for Folder {
    async fn open_accounts(&self) -> Arc<dyn AccountStore> {
        Arc::new(SqliteStore::open(self.0.path(), &Options::default()).expect("a store"))
    }
}

consign_testkit::conformance!(Folder::new());
consign_testkit::vault_conformance!(Folder::new());
consign_testkit::accounts_conformance!(Folder::new());
