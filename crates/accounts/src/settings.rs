//! The port to what an owner has set: one JSON value for each name.
//!
//! Whatever a method has answered `Ok` to is durable. What a value means, and whether it may be set at all, is the
//! caller's to say: the store keeps it as it is. Nothing secret belongs here; keys are sealed, in the
//! [`Vault`](consign_engine::vault::Vault).

use async_trait::async_trait;
use consign_engine::{At, Data, Owner, store::Error};

#[async_trait]
pub trait SettingsStore: Send + Sync {
    /// Keeps a value, in the place of the one that its owner had under this name.
    async fn put_setting(&self, owner: &Owner, setting: Setting) -> Result<(), Error>;

    async fn setting(&self, owner: &Owner, name: &str) -> Result<Option<Setting>, Error>;

    /// All settings of an owner, by name.
    async fn settings(&self, owner: &Owner) -> Result<Vec<Setting>, Error>;

    /// Removes a value. Says whether there was one.
    async fn remove_setting(&self, owner: &Owner, name: &str) -> Result<bool, Error>;
}

/// A value that an owner has set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// What it is for, such as `agents/trace`.
    pub name: String,
    pub value: Data,
    /// When it was set.
    pub at: At,
}
