//! Tokens for GitHub: one that an owner has brought, sealed in the vault like a key of a provider, or else the one of
//! the environment.

use consign_engine::{
    At, Fault, Owner,
    vault::{Kept, Sealed},
};

use super::{KeySource, Keys, error::Error, fit::fit, own};
use crate::transport::Secret;

/// The name under which the vault keeps it. No provider has this name.
pub const GITHUB: &str = "github";
/// The variable with the token for every owner who has none.
pub const GITHUB_TOKEN: &str = "GITHUB_TOKEN";

/// An owner's own token, as it may be shown to that owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnToken {
    /// When it was brought.
    pub at: At,
    /// Tells it from another token of the same owner; `None` while it cannot be opened.
    pub fingerprint: Option<String>,
}

impl Keys {
    /// The token for an owner's calls of GitHub; `None` if there is none.
    pub async fn github_token(&self, owner: &Owner) -> Result<Option<(Secret, KeySource)>, Fault> {
        // One that cannot be opened is a fault: the environment's may belong to a different person.
        if let Some(token) = self.named(owner, GITHUB).await? {
            return Ok(Some((token, KeySource::User)));
        }
        match self.environments_github_token() {
            Some(token) => Ok(Some((token?, KeySource::Environment))),
            None => Ok(None),
        }
    }

    /// What an owner has brought.
    pub async fn own_github_token(&self, owner: &Owner) -> Result<Option<OwnToken>, Error> {
        let Some(sealed) = self.vault.sealed(owner, GITHUB).await? else { return Ok(None) };
        let opened = self.source.ring().and_then(|ring| ring.open(&sealed));
        let fingerprint = opened.ok().map(|token| own::fingerprint(owner, GITHUB, &token));
        Ok(Some(OwnToken { at: sealed.at, fingerprint }))
    }

    /// Whether the environment has a token for owners without one.
    #[must_use]
    pub fn has_github_token(&self) -> bool {
        self.environments_github_token().is_some()
    }

    /// Seals a token and keeps it. [`Error::Duplicate`] if there is one that is not to be replaced.
    pub async fn set_github_token(
        &self,
        owner: &Owner,
        token: &Secret,
        at: At,
        replace: bool,
    ) -> Result<OwnToken, Error> {
        let _turn = self.source.turn().await?;
        let sealed: Sealed = self.source.ring()?.seal(owner, GITHUB, token, at);
        match self.vault.keep(sealed, replace).await? {
            Kept::Done => {
                Ok(OwnToken { at, fingerprint: Some(own::fingerprint(owner, GITHUB, token)) })
            }
            Kept::Exists => Err(Error::Duplicate { owner: owner.clone(), name: GITHUB }),
        }
    }

    /// Removes a token, even one that cannot be opened. Returns whether there was one.
    pub async fn remove_github_token(&self, owner: &Owner) -> Result<bool, Error> {
        let _turn = self.source.turn().await?;
        Ok(self.vault.drop_sealed(owner, GITHUB).await?)
    }

    fn environments_github_token(&self) -> Option<Result<Secret, Error>> {
        let value = (self.environment)(GITHUB_TOKEN).filter(|value| !value.is_empty())?;
        let unfit = |why| Error::Unfit { place: GITHUB_TOKEN.to_owned(), why };
        Some(fit(value.into_encoded_bytes()).map_err(unfit))
    }
}
