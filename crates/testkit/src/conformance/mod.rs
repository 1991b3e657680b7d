//! What every [`Store`] must do, as one list of cases.
//!
//! An adapter says where it keeps its data ([`StorePlace`]) and gets one test per case:
//!
//! ```ignore
//! struct Folder(tempfile::TempDir);
//!
//! #[async_trait]
//! impl StorePlace for Folder {
//!     async fn open(&self) -> Arc<dyn Store> {
//!         Arc::new(SqliteStore::open(self.0.path()).await.unwrap())
//!     }
//! }
//!
//! consign_testkit::conformance!(Folder(tempfile::tempdir().unwrap()));
//! ```
//!
//! The port's own docs are the promise. Where they leave something open that callers come to rely
//! on, the case that decides it says so. A case talks to the store through its port only.

mod accounts;
pub mod accounts_codes;
pub mod accounts_counting;
pub mod accounts_outside;
pub mod accounts_sessions;
pub mod accounts_setup;
pub mod accounts_tokens;
pub mod accounts_users;
pub mod asking;
mod cases;
pub mod claiming;
pub mod committing;
mod contents;
pub mod conversing;
pub mod creating;
pub mod delivering;
pub mod discussing;
pub mod documents;
pub mod finding;
pub mod likeness;
pub mod listing;
pub mod living;
mod moves;
pub mod noticing;
pub mod reading;
pub mod redacting;
pub mod reopening;
mod request;
mod scene;
pub mod sealing;
pub mod setting;
pub mod sharing;
pub mod spending;

use std::{future::Future, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_accounts::AccountStore;
use consign_engine::{store::Store, vault::Vault};

pub use self::{contents::Contents, scene::Scene};

/// Where an adapter under test keeps its data. Empty at first.
#[async_trait]
pub trait StorePlace: Send + Sync {
    /// Opens the store here as another process would: what is open already stays open, and all are
    /// peers on the same data.
    async fn open(&self) -> Arc<dyn Store>;
}

/// The same for sealed secrets: `consign_testkit::vault_conformance!` has its cases.
#[async_trait]
pub trait VaultPlace: Send + Sync {
    async fn open_vault(&self) -> Arc<dyn Vault>;
}

/// The same for accounts: `consign_testkit::accounts_conformance!` has its cases.
#[async_trait]
pub trait AccountPlace: Send + Sync {
    async fn open_accounts(&self) -> Arc<dyn AccountStore>;
}

/// Runs one case. One that hangs has failed.
pub fn run(case: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime of one thread needs nothing");
    let done = runtime.block_on(async { tokio::time::timeout(LONGEST, case).await });
    assert!(done.is_ok(), "the case did not come to an end");
}

const LONGEST: Duration = Duration::from_secs(60);
