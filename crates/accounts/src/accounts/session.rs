//! Who a request comes from: by session or by token. Each is one read.

use crate::{Accounts, Digest, Error, Identity, Way, limits, secret};

use super::session_ends;

impl Accounts {
    /// Who has this session. `None` if there is none, if it has ended, or if the user is disabled.
    ///
    /// At most once an hour it also notes that the session was used.
    pub async fn session(&self, secret: &str) -> Result<Option<Identity>, Error> {
        if !secret.starts_with(secret::SESSION) {
            return Ok(None);
        }
        let (digest, now) = (Digest::of(secret), self.now());
        let found = self.store().session(&digest).await?;
        let Some((session, user)) = found.filter(|(session, _)| session.ends_at > now) else {
            return Ok(None);
        };
        if user.is_disabled {
            return Ok(None);
        }
        if now.since(session.seen_at) >= limits::SESSION_TOUCH {
            let ends_at = session_ends(session.made_at, now);
            self.store().touch_session(&digest, now, ends_at).await?;
        }
        let way =
            Way::Session { csrf: secret::csrf_of(secret), id: hex::encode(digest.as_bytes()) };
        Ok(Some(Identity { user, way }))
    }

    /// Who has this token. `None` if there is none, or if the user is disabled.
    pub async fn token(&self, secret: &str) -> Result<Option<Identity>, Error> {
        if !secret.starts_with(secret::TOKEN) {
            return Ok(None);
        }
        let found = self.store().token(&Digest::of(secret)).await?;
        Ok(found.filter(|(_, user)| !user.is_disabled).map(|(token, user)| {
            let way = Way::Token { id: token.id, scopes: token.scopes };
            Identity { user, way }
        }))
    }
}

/// The digest of the session with this id: the id is its text.
pub(super) fn session_digest(id: &str) -> Option<Digest> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(id, &mut bytes).ok()?;
    Some(Digest::from_bytes(bytes))
}
