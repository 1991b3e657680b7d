//! Changing a password.

use crate::{
    Accounts, Client, Email, Error, Identity, PasswordChange, Passwords, UserId, Way, limits,
};

use super::session::session_digest;

impl Accounts {
    /// Changes the password of who asks, and ends all other sessions. The current one is asked for, and
    /// counts as a log-in: whoever finds an open browser cannot guess for ever.
    pub async fn change_password(
        &self,
        identity: &Identity,
        current: &str,
        new: &str,
        client: &Client,
    ) -> Result<(), Error> {
        Passwords::check_length("newPassword", new)?;
        let email = Email::parse(&identity.user.email)?;
        let of_account = limits::log_ins_of_account(&email);
        self.count(&[of_account.clone(), limits::log_ins_of_address(client)]).await?;
        let user = identity.user.id;
        let found = self.store().user(&user).await?.ok_or(Error::UserNotFound)?;
        if !self.parts.passwords.is(current, found.password.as_ref()).await? {
            return Err(Error::InvalidCredentials);
        }
        let to = self.parts.passwords.hash(new).await?;
        let keep = match &identity.way {
            Way::Session { id, .. } => session_digest(id),
            Way::Token { .. } => None,
        };
        let clear = Some(of_account.subject);
        let change = PasswordChange { user, to, seen: found.password, keep, clear };
        if self.store().set_password(change).await? {
            Ok(())
        } else {
            // It was changed by somebody else in the meantime.
            Err(Error::InvalidCredentials)
        }
    }

    /// Sets the password of a user without asking for the old one, and ends all sessions. For the
    /// terminal.
    pub async fn set_password(&self, id: &UserId, new: &str) -> Result<(), Error> {
        Passwords::check_length("password", new)?;
        let found = self.store().user(id).await?.ok_or(Error::UserNotFound)?;
        let to = self.parts.passwords.hash(new).await?;
        let clear = Email::parse(&found.user.email)?;
        let clear = Some(limits::log_ins_of_account(&clear).subject);
        let change = PasswordChange { user: *id, to, seen: None, keep: None, clear };
        let is_set = self.store().set_password(change).await?;
        is_set.then_some(()).ok_or(Error::UserNotFound)
    }
}
