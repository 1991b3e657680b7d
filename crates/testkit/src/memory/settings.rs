//! What owners have set, in memory.

use async_trait::async_trait;
use consign_accounts::{Setting, SettingsStore};
use consign_engine::{Owner, store::Error};

use super::MemoryStore;

/// Nobody waits for a setting, so nobody is told of one.
#[async_trait]
impl SettingsStore for MemoryStore {
    async fn put_setting(&self, owner: &Owner, setting: Setting) -> Result<(), Error> {
        self.state().settings.insert((owner.clone(), setting.name.clone()), setting);
        Ok(())
    }

    async fn setting(&self, owner: &Owner, name: &str) -> Result<Option<Setting>, Error> {
        Ok(self.state().settings.get(&(owner.clone(), name.to_owned())).cloned())
    }

    async fn settings(&self, owner: &Owner) -> Result<Vec<Setting>, Error> {
        let state = self.state();
        let own = state.settings.iter().filter(|((of, _), _)| of == owner);
        Ok(own.map(|(_, setting)| setting.clone()).collect())
    }

    async fn remove_setting(&self, owner: &Owner, name: &str) -> Result<bool, Error> {
        Ok(self.state().settings.remove(&(owner.clone(), name.to_owned())).is_some())
    }
}
