//! Credentials, by name. They are sealed elsewhere; here they are only used.

use async_trait::async_trait;

use crate::{Error, Secret};

/// What opens a source.
#[derive(Clone, Debug)]
pub enum Credential {
    /// Sent as `Authorization: Bearer …`.
    Bearer(Secret),
    /// Exchanged for an access token whenever one is needed.
    OAuth { client_id: String, client_secret: Option<Secret>, refresh_token: Secret },
    /// Opens a file, not a source.
    Password(Secret),
}

/// Finds credentials by name.
#[async_trait]
pub trait Credentials: Send + Sync {
    /// `None` if this owner has none under that name.
    ///
    /// # Errors
    /// One line that says why they cannot be read.
    async fn find(&self, credentials_id: &str) -> Result<Option<Credential>, String>;
}

/// There are none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCredentials;

#[async_trait]
impl Credentials for NoCredentials {
    async fn find(&self, _: &str) -> Result<Option<Credential>, String> {
        Ok(None)
    }
}

/// The credentials that a fetch names.
pub(crate) async fn named(
    credentials: &dyn Credentials,
    credentials_id: Option<&str>,
) -> Result<Option<Credential>, Error> {
    let Some(name) = credentials_id else { return Ok(None) };
    match credentials.find(name).await {
        Ok(Some(found)) => Ok(Some(found)),
        Ok(None) => Err(Error::auth(format!(
            "there are no credentials {name:?}: add them with `consign credentials add {name}`"
        ))),
        Err(why) => Err(Error::auth(format!("the credentials {name:?} cannot be read: {why}"))),
    }
}
