//! A stranger makes an account.

use crate::{
    Accounts, Added, Client, Digest, Email, Error, NewCode, NewUser, Passwords, Purpose, Role,
    User, UserId, limits, secret,
};

impl Accounts {
    /// Makes a user who is not verified yet, and sends the first code.
    ///
    /// User, code and the count of the code are one write. With `is_discreet` a known address is answered
    /// as if it was new, and nothing is sent to it.
    pub async fn sign_up(
        &self,
        email: &str,
        password: &str,
        client: &Client,
    ) -> Result<User, Error> {
        let email = Email::parse(email)?;
        Passwords::check_length("password", password)?;
        self.count(&[limits::others_of_address(client)]).await?;
        // Also for an address that is known: how long it takes must not tell.
        let password = Some(self.parts.passwords.hash(password).await?);
        let (id, now) = (UserId::random(&*self.parts.entropy), self.now());
        let code = secret::random_code(&*self.parts.entropy);
        let first = NewCode {
            digest: Digest::of_code(&id, Purpose::Verify, code.reveal()),
            purpose: Purpose::Verify,
            made_at: now,
            limit: limits::codes_of_account(&email),
        };
        let (role, is_verified) = (Role::Member, false);
        let new =
            NewUser { id, email: email.clone(), role, is_verified, password, created_at: now };
        match self.store().add_user(new, Some(first)).await? {
            Added::Done(user) => {
                self.mail(&user, &code, Purpose::Verify).await;
                Ok(user)
            }
            Added::EmailInUse if self.is_discreet() => {
                self.count(&[limits::codes_of_account(&email)]).await?;
                let email = email.as_given().to_owned();
                Ok(User { id, email, role, is_verified, is_disabled: false, created_at: now })
            }
            Added::EmailInUse => Err(Error::EmailInUse),
            Added::Limited { retry_after } => Err(Error::RateLimited { retry_after }),
        }
    }
}
