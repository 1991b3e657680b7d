//! Logging in with a password, and logging out.

use tracing::info;

use crate::{Accounts, Client, Email, Error, Identity, SignedIn, Way, limits};

use super::{session::session_digest, signed_in};

impl Accounts {
    /// Opens a new session. What was there before the log-in is worth nothing after it.
    ///
    /// The attempt is counted before the password is looked at. An account that does not exist costs the
    /// same work as one that does.
    pub async fn log_in(
        &self,
        email: &str,
        password: &str,
        client: &Client,
    ) -> Result<SignedIn, Error> {
        let email = Email::parse(email)?;
        let of_account = limits::log_ins_of_account(&email);
        self.count(&[of_account.clone(), limits::log_ins_of_address(client)]).await?;
        let found = self.store().user_by_email(&email).await?;
        let kept = found.as_ref().and_then(|found| found.password.as_ref());
        let is_right = self.parts.passwords.is(password, kept).await?;
        let Some(found) = found else {
            return Err(self.told(Error::UserNotFound, Error::InvalidCredentials));
        };
        let (user, Some(kept), true) = (found.user, found.password, is_right) else {
            return Err(Error::InvalidCredentials);
        };
        if user.is_disabled {
            return Err(self.told(Error::UserDisabled, Error::InvalidCredentials));
        }
        if !user.is_verified {
            return Err(self.told(Error::EmailNotVerified, Error::InvalidCredentials));
        }
        let (session, secret) = self.new_session(user.id);
        if !self.store().open_session(session, &kept, &of_account.subject).await? {
            // Somebody changed the password, or disabled the user, while it was looked at.
            return Err(Error::InvalidCredentials);
        }
        info!(user = %user.id, "logged in");
        Ok(signed_in(user, secret))
    }

    /// Ends the session. A token stays: it is revoked where it was made.
    pub async fn log_out(&self, identity: &Identity) -> Result<(), Error> {
        match &identity.way {
            Way::Session { id, .. } => {
                if let Some(digest) = session_digest(id) {
                    self.store().end_session(&digest).await?;
                }
                Ok(())
            }
            Way::Token { .. } => Ok(()),
        }
    }
}
