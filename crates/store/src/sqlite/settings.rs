//! Implements the port of settings, method by method.

use async_trait::async_trait;
use consign_accounts::{Setting, SettingsStore};
use consign_engine::{Owner, store::Error};

use super::{
    read,
    store::SqliteStore,
    write::{PutSetting, RemoveSetting},
};

#[async_trait]
impl SettingsStore for SqliteStore {
    async fn put_setting(&self, owner: &Owner, setting: Setting) -> Result<(), Error> {
        self.post(PutSetting { owner: owner.clone(), setting }).await
    }

    async fn setting(&self, owner: &Owner, name: &str) -> Result<Option<Setting>, Error> {
        let (owner, name) = (owner.clone(), name.to_owned());
        self.read(move |db| read::setting(db, &owner, &name)).await
    }

    async fn settings(&self, owner: &Owner) -> Result<Vec<Setting>, Error> {
        let owner = owner.clone();
        self.read(move |db| read::settings(db, &owner)).await
    }

    async fn remove_setting(&self, owner: &Owner, name: &str) -> Result<bool, Error> {
        self.post(RemoveSetting { owner: owner.clone(), name: name.to_owned() }).await
    }
}
