//! Sealed secrets in memory.

use async_trait::async_trait;
use consign_engine::{
    Owner,
    store::Error,
    vault::{Kept, Reseal, Resealed, Sealed, Vault},
};

use super::MemoryStore;

/// Nobody waits for secrets, so nobody is told of them.
#[async_trait]
impl Vault for MemoryStore {
    async fn keep(&self, secret: Sealed, replace: bool) -> Result<Kept, Error> {
        let mut state = self.state();
        let place = (secret.owner.clone(), secret.name.clone());
        if !replace && state.sealed.contains_key(&place) {
            return Ok(Kept::Exists);
        }
        state.sealed.insert(place, secret);
        Ok(Kept::Done)
    }

    async fn sealed(&self, owner: &Owner, name: &str) -> Result<Option<Sealed>, Error> {
        Ok(self.state().sealed.get(&(owner.clone(), name.to_owned())).cloned())
    }

    async fn all_sealed(&self) -> Result<Vec<Sealed>, Error> {
        Ok(self.state().sealed.values().cloned().collect())
    }

    async fn drop_sealed(&self, owner: &Owner, name: &str) -> Result<bool, Error> {
        Ok(self.state().sealed.remove(&(owner.clone(), name.to_owned())).is_some())
    }

    async fn reseal(&self, all: Vec<Reseal>) -> Result<Resealed, Error> {
        let mut state = self.state();
        let place = |one: &Reseal| (one.owner.clone(), one.name.clone());
        let found = |one: &Reseal| state.sealed.get(&place(one)).map(|found| &found.bytes);
        let as_seen = all.iter().all(|one| found(one) == Some(&one.from));
        if all.len() != state.sealed.len() || !as_seen {
            return Ok(Resealed::Moved);
        }
        for one in all {
            if let Some(secret) = state.sealed.get_mut(&place(&one)) {
                secret.bytes = one.to;
            }
        }
        Ok(Resealed::Done)
    }
}
