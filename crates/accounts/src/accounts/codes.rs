//! Codes that are mailed: to verify an address, and to set a password that was forgotten.

use tracing::warn;

use crate::{
    Accounts, Client, CodePut, CodeTry, Digest, Email, Error, KeptUser, NewCode, PasswordHash,
    Passwords, Purpose, Secret, Tried, User, limits, secret,
};

impl Accounts {
    /// Uses up a code, which shows that the user reads mail at this address.
    pub async fn verify(&self, email: &str, code: &str, client: &Client) -> Result<(), Error> {
        let email = Email::parse(email)?;
        self.count(&[limits::others_of_address(client)]).await?;
        let found = self.store().user_by_email(&email).await?;
        let is_verified = found.as_ref().is_some_and(|found| found.user.is_verified);
        if is_verified {
            return Err(self.told(Error::AlreadyVerified, Error::InvalidCode));
        }
        self.try_code(found, Purpose::Verify, code, None).await
    }

    /// Sends another code, which voids the one before.
    pub async fn resend(&self, email: &str, client: &Client) -> Result<(), Error> {
        let email = Email::parse(email)?;
        self.count(&[limits::others_of_address(client)]).await?;
        match self.store().user_by_email(&email).await? {
            Some(found) if !found.user.is_verified => {
                self.put_code(&found.user, &email, Purpose::Verify).await
            }
            Some(_) => self.nothing_to_send(&email, Error::AlreadyVerified).await,
            None => self.nothing_to_send(&email, Error::UserNotFound).await,
        }
    }

    /// Sends a code for a new password.
    pub async fn begin_reset(&self, email: &str, client: &Client) -> Result<(), Error> {
        let email = Email::parse(email)?;
        self.count(&[limits::others_of_address(client)]).await?;
        match self.store().user_by_email(&email).await? {
            Some(found) => self.put_code(&found.user, &email, Purpose::Reset).await,
            None => self.nothing_to_send(&email, Error::UserNotFound).await,
        }
    }

    /// Sets a new password with a code, and ends all sessions. The address is then verified too: the
    /// code came to it.
    pub async fn reset(
        &self,
        email: &str,
        code: &str,
        new_password: &str,
        client: &Client,
    ) -> Result<(), Error> {
        let email = Email::parse(email)?;
        Passwords::check_length("newPassword", new_password)?;
        self.count(&[limits::others_of_address(client)]).await?;
        let found = self.store().user_by_email(&email).await?;
        let password = self.parts.passwords.hash(new_password).await?;
        self.try_code(found, Purpose::Reset, code, Some(password)).await
    }

    async fn put_code(&self, user: &User, email: &Email, purpose: Purpose) -> Result<(), Error> {
        let code = secret::random_code(&*self.parts.entropy);
        let digest = Digest::of_code(&user.id, purpose, code.reveal());
        let limit = limits::codes_of_account(email);
        let new = NewCode { digest, purpose, made_at: self.now(), limit };
        match self.store().put_code(&user.id, new).await? {
            CodePut::Done => {
                self.mail(user, &code, purpose).await;
                Ok(())
            }
            CodePut::Limited { retry_after } => Err(Error::RateLimited { retry_after }),
        }
    }

    /// Where nothing is sent. With `is_discreet` it is counted as if something was.
    async fn nothing_to_send(&self, email: &Email, why: Error) -> Result<(), Error> {
        if !self.is_discreet() {
            return Err(why);
        }
        self.count(&[limits::codes_of_account(email)]).await
    }

    async fn try_code(
        &self,
        found: Option<KeptUser>,
        purpose: Purpose,
        code: &str,
        password: Option<PasswordHash>,
    ) -> Result<(), Error> {
        let Some(KeptUser { user, .. }) = found else {
            return Err(self.told(Error::UserNotFound, Error::InvalidCode));
        };
        let attempt = CodeTry {
            user: user.id,
            purpose,
            digest: Digest::of_code(&user.id, purpose, code.trim()),
            made_after: limits::before(self.now(), limits::CODE_LASTS),
            most: limits::CODE_TRIES,
            password,
        };
        match self.store().try_code(attempt).await? {
            Tried::Done => Ok(()),
            Tried::Wrong => Err(Error::InvalidCode),
        }
    }

    /// To the address that is kept, never to the one in the request.
    pub(super) async fn mail(&self, user: &User, code: &Secret, purpose: Purpose) {
        let sent = self.parts.mailer.send_code(&user.email, code.reveal(), purpose).await;
        if let Err(error) = sent {
            warn!(user = %user.id, purpose = purpose.as_str(), %error, "a code could not be mailed");
        }
    }
}
