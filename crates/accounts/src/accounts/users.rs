//! What administrators and the terminal do with users.

use tracing::info;

use crate::{Accounts, Added, Email, Error, NewUser, Passwords, Role, User, UserId};

impl Accounts {
    /// Adds a user who is verified at once. The first user is an administrator.
    pub async fn add_user(&self, email: &str, password: &str, role: Role) -> Result<User, Error> {
        let email = Email::parse(email)?;
        Passwords::check_length("password", password)?;
        let password = Some(self.parts.passwords.hash(password).await?);
        let (id, created_at) = (UserId::random(&*self.parts.entropy), self.now());
        let new = NewUser { id, email, role, is_verified: true, password, created_at };
        match self.store().add_user(new, None).await? {
            Added::Done(user) => Ok(user),
            Added::EmailInUse => Err(Error::EmailInUse),
            Added::Limited { retry_after } => Err(Error::RateLimited { retry_after }),
        }
    }

    /// The oldest first.
    pub async fn users(&self) -> Result<Vec<User>, Error> {
        Ok(self.store().users().await?)
    }

    pub async fn find_user(&self, email: &str) -> Result<User, Error> {
        let found = self.store().user_by_email(&Email::parse(email)?).await?;
        found.map(|found| found.user).ok_or(Error::UserNotFound)
    }

    /// Disabling ends sessions, tokens and codes for good; enabling brings none of them back.
    pub async fn set_disabled(&self, id: &UserId, disabled: bool) -> Result<User, Error> {
        let user = self.store().set_disabled(id, disabled).await?.ok_or(Error::UserNotFound)?;
        info!(user = %user.id, disabled, "a user was disabled or enabled");
        Ok(user)
    }
}
