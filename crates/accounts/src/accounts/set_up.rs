//! The first user, with the token that the first start prints.

use tracing::info;

use crate::{
    Accounts, Client, Digest, Email, Error, NewUser, Passwords, Role, Secret, SignedIn, UserId,
    limits, secret,
};

use super::signed_in;

impl Accounts {
    pub async fn has_users(&self) -> Result<bool, Error> {
        Ok(self.store().has_users().await?)
    }

    /// A new token for the set-up, in the place of the one before. `None` once there is a user.
    pub async fn setup_token(&self) -> Result<Option<Secret>, Error> {
        let token = self.random(secret::SETUP);
        let is_kept = self.store().put_setup(Digest::of(token.reveal()), self.now()).await?;
        Ok(is_kept.then_some(token))
    }

    /// Makes the first user, a verified administrator, and signs in. Of many at once one succeeds; all
    /// others, and whoever has another token, get [`Error::Forbidden`].
    pub async fn set_up(
        &self,
        token: &str,
        email: &str,
        password: &str,
        client: &Client,
    ) -> Result<SignedIn, Error> {
        let email = Email::parse(email)?;
        Passwords::check_length("password", password)?;
        self.count(&[limits::others_of_address(client)]).await?;
        if self.has_users().await? {
            return Err(Error::Forbidden);
        }
        let password = Some(self.parts.passwords.hash(password).await?);
        let (id, created_at) = (UserId::random(&*self.parts.entropy), self.now());
        let (role, is_verified) = (Role::Admin, true);
        let new = NewUser { id, email, role, is_verified, password, created_at };
        let (session, secret) = self.new_session(id);
        let made = self.store().set_up(Digest::of(token), new, session).await?;
        let user = made.ok_or(Error::Forbidden)?;
        info!(user = %user.id, "the first user was set up");
        Ok(signed_in(user, secret))
    }
}
