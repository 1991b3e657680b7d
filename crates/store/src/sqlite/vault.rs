//! The engine's port for sealed secrets, method by method.

use async_trait::async_trait;
use consign_engine::{
    Owner,
    store::Error,
    vault::{Kept, Reseal, Resealed, Sealed, Vault},
};

use super::{
    read,
    store::SqliteStore,
    write::{DropSealed, Keep, ResealAll},
};

#[async_trait]
impl Vault for SqliteStore {
    async fn keep(&self, secret: Sealed, replace: bool) -> Result<Kept, Error> {
        self.post(Keep { secret, replace }).await
    }

    async fn sealed(&self, owner: &Owner, name: &str) -> Result<Option<Sealed>, Error> {
        let (owner, name) = (owner.clone(), name.to_owned());
        self.read(move |db| read::sealed(db, &owner, &name)).await
    }

    async fn all_sealed(&self) -> Result<Vec<Sealed>, Error> {
        self.read(read::all_sealed).await
    }

    async fn drop_sealed(&self, owner: &Owner, name: &str) -> Result<bool, Error> {
        self.post(DropSealed { owner: owner.clone(), name: name.to_owned() }).await
    }

    async fn reseal(&self, all: Vec<Reseal>) -> Result<Resealed, Error> {
        self.post(ResealAll { all }).await
    }
}
