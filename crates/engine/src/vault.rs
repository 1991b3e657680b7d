//! The engine's port to stored secrets, which are sealed before they reach it.
//!
//! What is kept is opaque. Nothing on this side of the port, nor behind it, can open it, and nothing
//! may print it. Whatever a method has answered `Ok` to is durable; a refused write leaves nothing
//! behind. What is replaced or dropped is overwritten where it lay, as far as a store can do that.

use std::fmt;

use async_trait::async_trait;

use crate::{At, Owner, store::Error};

#[async_trait]
pub trait Vault: Send + Sync {
    /// Keeps a secret under its owner and name. [`Kept::Exists`] if there is one already and
    /// `replace` was not wished.
    async fn keep(&self, secret: Sealed, replace: bool) -> Result<Kept, Error>;

    async fn sealed(&self, owner: &Owner, name: &str) -> Result<Option<Sealed>, Error>;

    /// Everything, by owner and name.
    async fn all_sealed(&self) -> Result<Vec<Sealed>, Error>;

    /// Removes a secret. Says whether there was one.
    async fn drop_sealed(&self, owner: &Owner, name: &str) -> Result<bool, Error>;

    /// Puts other bytes in the place of those that are there, all of them or none.
    ///
    /// `all` names everything that the vault holds: [`Resealed::Moved`] if anything came, went or
    /// changed since. So no secret is left behind under a key that is about to be thrown away.
    async fn reseal(&self, all: Vec<Reseal>) -> Result<Resealed, Error>;
}

/// A secret as it is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed {
    pub owner: Owner,
    /// What it is for, such as the name of a provider.
    pub name: String,
    pub bytes: Vec<u8>,
    /// When it was brought. Sealing it anew does not change that.
    pub at: At,
}

/// Never prints the bytes, sealed or not.
impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { owner, name, bytes, at } = self;
        write!(f, "Sealed({owner} {name} {at} {} bytes)", bytes.len())
    }
}

/// The bytes that were found there, and those that take their place. They may be the same.
#[derive(Clone, PartialEq, Eq)]
pub struct Reseal {
    pub owner: Owner,
    pub name: String,
    pub from: Vec<u8>,
    pub to: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    Done,
    /// There is one already. Nothing was written.
    Exists,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resealed {
    Done,
    /// The vault is not as the caller saw it. Nothing was written: look again.
    Moved,
}
