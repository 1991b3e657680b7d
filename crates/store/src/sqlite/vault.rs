//! Implements the engine's port for sealed secrets, method by method.

use async_trait::async_trait;
use consign_engine::{
    Owner,
    store::Error,
    vault::{Kept, Reseal, Resealed, Sealed, Vault},
};

use super::{
    read,
    store::SqliteStore,
    wipe::empty_wal,
    write::{DropSealed, Keep, ResealAll},
};

#[async_trait]
impl Vault for SqliteStore {
    async fn keep(&self, secret: Sealed, replace: bool) -> Result<Kept, Error> {
        let kept = self.post(Keep { secret, replace }).await?;
        if replace {
            self.wipe().await?;
        }
        Ok(kept)
    }

    async fn sealed(&self, owner: &Owner, name: &str) -> Result<Option<Sealed>, Error> {
        let (owner, name) = (owner.clone(), name.to_owned());
        self.read(move |db| read::sealed(db, &owner, &name)).await
    }

    async fn all_sealed(&self) -> Result<Vec<Sealed>, Error> {
        self.read(read::all_sealed).await
    }

    async fn drop_sealed(&self, owner: &Owner, name: &str) -> Result<bool, Error> {
        let dropped = self.post(DropSealed { owner: owner.clone(), name: name.to_owned() }).await?;
        if dropped {
            self.wipe().await?;
        }
        Ok(dropped)
    }

    async fn reseal(&self, all: Vec<Reseal>) -> Result<Resealed, Error> {
        let resealed = self.post(ResealAll { all }).await?;
        if resealed == Resealed::Done {
            self.wipe().await?;
        }
        Ok(resealed)
    }
}

impl SqliteStore {
    async fn wipe(&self) -> Result<(), Error> {
        let home = self.home.clone();
        self.in_background(move || empty_wal(&home)).await
    }
}
