//! The token with which an owner's jobs read and publish on GitHub. Where GitHub is, only the operator says.

use consign_engine::Owner;
pub use consign_models::keys::OwnToken;
use consign_models::keys::fit;

use super::sealed::refused;
use crate::{
    Home,
    error::{Error, Refused},
};

/// What an owner has brought, by its date and fingerprint.
pub async fn get(home: &Home, owner: &Owner) -> Result<Option<OwnToken>, Error> {
    home.models.keys().own_github_token(owner).await.map_err(refused("token"))
}

/// Keeps a token, in the place of the one that is there, if there is one.
pub async fn set(home: &Home, owner: &Owner, token: String) -> Result<OwnToken, Error> {
    let token = fit(token.into_bytes()).map_err(|why| {
        let told = format!("that cannot be a token: it {why}");
        super::invalid([("/token".to_owned(), "value".to_owned(), told)])
    })?;
    let at = home.engine.now();
    let kept = home.models.keys().set_github_token(owner, &token, at, true).await;
    kept.map_err(refused("token"))
}

/// Removes a token, even one that cannot be opened any more.
pub async fn remove(home: &Home, owner: &Owner) -> Result<(), Error> {
    if home.models.keys().remove_github_token(owner).await.map_err(refused("token"))? {
        return Ok(());
    }
    Err(Refused::new("KEY_NOT_FOUND", "you have no token for github").into())
}
