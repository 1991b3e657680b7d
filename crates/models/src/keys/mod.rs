//! Keys of providers: sealed in the vault for each owner, or from the environment.
//!
//! [`Keys::key_for`] is what an invoker asks. An owner's own key counts first. Where there is one that
//! cannot be opened, that is a fault: it never falls through to the environment, whose key may belong
//! to a different person. A key in the environment is used for every owner who has none.
//!
//! A key leaves this module as a [`Secret`] and in no other way. Nothing here prints a key, a sealing
//! key or a part of one; where one must be told from another, a [`Fingerprint`] does.

mod encoding;
mod error;
mod file;
mod fit;
mod github;
mod list;
mod lock;
mod own;
mod ring;
mod rotate;
mod seal;
mod source;
mod text;

use std::{ffi::OsString, path::Path, sync::Arc};

use consign_engine::{
    At, Fault, Owner,
    vault::{Kept, Vault},
};

pub use self::{
    error::Error,
    fit::{LONGEST, Unfit, fit},
    github::{GITHUB, GITHUB_TOKEN, OwnToken},
    list::{Listed, Standing},
    own::OwnKey,
    rotate::{How, Rotated},
    seal::Fingerprint,
    source::{NEW_KEY, OLD_KEY},
    text::OwnText,
};
use self::{ring::Ring, source::Source};
use crate::{Provider, transport::Secret};

/// Looks up an environment variable. Tests bring their own.
pub type Environment = Arc<dyn Fn(&str) -> Option<OsString> + Send + Sync>;

/// Where the key of a call comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// The owner's own key.
    User,
    /// A key in the environment of this machine.
    Environment,
}

impl KeySource {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Environment => "environment",
        }
    }
}

/// All keys of a home. Cheap to keep; it holds no key itself.
#[derive(Clone)]
pub struct Keys {
    vault: Arc<dyn Vault>,
    source: Source,
    environment: Environment,
}

/// How often a key is read again because it was sealed anew in the meantime.
const LOOKS: usize = 5;

impl Keys {
    /// The keys in `vault`, sealed with the sealing key of the environment, or else with the one in
    /// `sealing.key` in `home`.
    #[must_use]
    pub fn new(vault: Arc<dyn Vault>, home: &Path, environment: Environment) -> Self {
        Self { vault, source: Source::new(home, environment.clone()), environment }
    }

    /// The key for an owner's calls to a provider; `None` if there is none.
    pub async fn key_for(
        &self,
        owner: &Owner,
        provider: Provider,
    ) -> Result<Option<(Secret, KeySource)>, Fault> {
        if let Some(key) = self.own(owner, provider).await? {
            return Ok(Some((key, KeySource::User)));
        }
        match self.variable(provider) {
            Some((_, key)) => Ok(Some((key?, KeySource::Environment))),
            None => Ok(None),
        }
    }

    /// Whether calls of this owner to a provider have the key that they need.
    pub async fn suffice(&self, owner: &Owner, provider: Provider) -> Result<bool, Fault> {
        Ok(!provider.needs_key() || self.key_for(owner, provider).await?.is_some())
    }

    async fn own(&self, owner: &Owner, provider: Provider) -> Result<Option<Secret>, Error> {
        self.named(owner, provider.as_str()).await
    }

    async fn named(&self, owner: &Owner, name: &str) -> Result<Option<Secret>, Error> {
        let mut seen = None;
        for _ in 0..LOOKS {
            let Some(sealed) = self.vault.sealed(owner, name).await? else {
                return Ok(None);
            };
            match self.source.ring().and_then(|ring| ring.open(&sealed)) {
                // The sealing key may have been changed between our looks at the one and the other.
                Err(Error::Locked { .. }) if seen.as_ref() != Some(&sealed.bytes) => {
                    seen = Some(sealed.bytes);
                }
                opened => return opened.map(Some),
            }
        }
        Err(Error::Busy)
    }

    /// The first of a provider's variables that is set, with the key that it holds.
    fn variable(&self, provider: Provider) -> Option<(&'static str, Result<Secret, Error>)> {
        let set = |name: &&'static str| {
            let value = (self.environment)(name).filter(|value| !value.is_empty())?;
            let place = || (*name).to_owned();
            let key = fit(value.into_encoded_bytes());
            Some((*name, key.map_err(|why| Error::Unfit { place: place(), why })))
        };
        provider.key_variables().iter().find_map(set)
    }

    /// Seals a key and keeps it. [`Error::Duplicate`] if there is one that is not to be replaced.
    pub async fn set(
        &self,
        owner: &Owner,
        provider: Provider,
        key: &Secret,
        at: At,
        replace: bool,
    ) -> Result<Fingerprint, Error> {
        // Whoever changes the sealing key meanwhile would throw away what this is sealed with.
        let _turn = self.source.turn().await?;
        let ring = self.source.ring()?;
        let sealed = ring.seal(owner, provider.as_str(), key, at);
        match self.vault.keep(sealed, replace).await? {
            Kept::Done => Ok(ring.newest().fingerprint()),
            Kept::Exists => Err(Error::duplicate(owner, provider)),
        }
    }

    /// Whether an owner has a key of their own, sealed with any sealing key.
    pub async fn has(&self, owner: &Owner, provider: Provider) -> Result<bool, Error> {
        Ok(self.vault.sealed(owner, provider.as_str()).await?.is_some())
    }

    /// Removes a key, even one that cannot be opened. Returns whether there was one.
    pub async fn remove(&self, owner: &Owner, provider: Provider) -> Result<bool, Error> {
        let _turn = self.source.turn().await?;
        Ok(self.vault.drop_sealed(owner, provider.as_str()).await?)
    }

    /// A secret of an owner that is no provider's key: thirty-two bytes in hexadecimal, sealed like one. With `make` it
    /// is made if there is none.
    pub async fn text_key(
        &self,
        owner: &Owner,
        name: &str,
        make: Option<At>,
    ) -> Result<Option<Secret>, Error> {
        if let Some(at) = make {
            let _turn = self.source.turn().await?;
            let key = Secret::new(hex::encode(seal::SealingKey::random().bytes()));
            // One that is there stays: texts are sealed with it.
            self.vault.keep(self.source.ring()?.seal(owner, name, &key, at), false).await?;
        }
        self.named(owner, name).await
    }

    /// Creates the file with a sealing key. Fails if there is one.
    pub async fn init(&self) -> Result<Fingerprint, Error> {
        let _turn = self.source.turn().await?;
        let ring = Ring::random();
        self.source.begin(&ring)?;
        Ok(ring.newest().fingerprint())
    }

    /// The fingerprint of the sealing key that seals new keys.
    pub fn sealing_key(&self) -> Result<Fingerprint, Error> {
        Ok(self.source.ring()?.newest().fingerprint())
    }
}

#[cfg(test)]
mod tests;
