//! The keys that one owner has brought, told apart without showing anything of them.

use consign_engine::{At, Owner};
use sha2::{Digest, Sha256};

use super::{Keys, error::Error};
use crate::{Provider, transport::Secret};

/// An owner's own key, as it may be shown to that owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnKey {
    pub provider: Provider,
    /// When it was brought.
    pub at: At,
    /// Tells it from another key of the same owner and provider; `None` while it cannot be opened.
    pub fingerprint: Option<String>,
}

impl OwnKey {
    /// What a key that was just brought looks like.
    #[must_use]
    pub fn of(owner: &Owner, provider: Provider, key: &Secret, at: At) -> Self {
        Self { provider, at, fingerprint: Some(fingerprint(owner, provider.as_str(), key)) }
    }
}

impl Keys {
    /// The keys of one owner, in the order of [`Provider::ALL`]. Those of other owners are not even read.
    pub async fn of_owner(&self, owner: &Owner) -> Result<Vec<OwnKey>, Error> {
        let mut found = Vec::new();
        for provider in Provider::ALL {
            let Some(sealed) = self.vault.sealed(owner, provider.as_str()).await? else { continue };
            let opened = self.source.ring().and_then(|ring| ring.open(&sealed));
            let fingerprint = opened.ok().map(|key| fingerprint(owner, provider.as_str(), &key));
            found.push(OwnKey { provider, at: sealed.at, fingerprint });
        }
        Ok(found)
    }

    /// An owner's own key, and never the one of the environment.
    pub async fn own_key(
        &self,
        owner: &Owner,
        provider: Provider,
    ) -> Result<Option<Secret>, Error> {
        self.own(owner, provider).await
    }
}

/// Bound to the owner, so that it does not show that two of them have one key.
pub(super) fn fingerprint(owner: &Owner, name: &str, key: &Secret) -> String {
    let digest = Sha256::new()
        .chain_update("consign key of an owner\n")
        .chain_update(format!("{}\n{owner}\n{name}\n", owner.as_str().len()))
        .chain_update(key.reveal())
        .finalize();
    hex::encode(&digest[..4])
}
