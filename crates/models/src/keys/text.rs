//! Secrets of an owner that are no keys of providers: texts under a name, sealed like keys and sealed anew with them.

use consign_engine::{
    At, Owner,
    vault::{Kept, Sealed},
};

use super::{Keys, error::Error};
use crate::transport::Secret;

/// A text that an owner has brought.
#[derive(Clone, Debug)]
pub struct OwnText {
    /// Its whole name.
    pub name: String,
    /// When it was brought.
    pub at: At,
    /// What was sealed; `None` while it cannot be opened.
    pub text: Option<Secret>,
}

impl Keys {
    /// An owner's own texts whose names begin so, by name.
    pub async fn texts(&self, owner: &Owner, begin: &str) -> Result<Vec<OwnText>, Error> {
        let all = self.vault.all_sealed().await?;
        // Without a sealing key nothing can be opened, and what there is can be listed all the same.
        let ring = self.source.ring().ok();
        let own = |sealed: &Sealed| sealed.owner == *owner && sealed.name.starts_with(begin);
        let read = |sealed: Sealed| {
            let text = ring.as_ref().and_then(|ring| ring.open(&sealed).ok());
            OwnText { name: sealed.name, at: sealed.at, text }
        };
        Ok(all.into_iter().filter(own).map(read).collect())
    }

    /// Seals a text and keeps it under its name. Says whether there was one that was not to be replaced.
    pub async fn keep_text(
        &self,
        owner: &Owner,
        name: &str,
        text: &Secret,
        at: At,
        replace: bool,
    ) -> Result<Kept, Error> {
        let _turn = self.source.turn().await?;
        let sealed = self.source.ring()?.seal(owner, name, text, at);
        Ok(self.vault.keep(sealed, replace).await?)
    }

    /// Removes a text, even one that cannot be opened. Says whether there was one.
    pub async fn remove_text(&self, owner: &Owner, name: &str) -> Result<bool, Error> {
        let _turn = self.source.turn().await?;
        Ok(self.vault.drop_sealed(owner, name).await?)
    }
}
