//! Signing in through another site. The exchange with it is the server's.

use crate::{
    Accounts, Client, Digest, Email, Error, KeptAttempt, OauthAttempt, OutsideSignIn, OutsideUser,
    Provider, Secret, SignedIn, SignedInOutside, UserId, limits, secret,
};

use super::signed_in;

impl Accounts {
    /// Begins an attempt, which lasts for ten minutes.
    pub async fn begin_oauth(
        &self,
        provider: Provider,
        client: &Client,
    ) -> Result<OauthAttempt, Error> {
        self.count(&[limits::others_of_address(client)]).await?;
        let [state, verifier, browser] = [(); 3].map(|()| self.random(secret::PLAIN));
        let now = self.now();
        let kept = KeptAttempt {
            state: Digest::of(state.reveal()),
            provider,
            browser: Digest::of(browser.reveal()),
            verifier: verifier.clone(),
            made_at: now,
        };
        self.store().put_oauth(kept, limits::before(now, limits::OAUTH_LASTS)).await?;
        Ok(OauthAttempt { state, pkce_verifier: verifier, browser })
    }

    /// The verifier of an attempt, once only. [`Error::Forbidden`] for a state that is unknown, used, too
    /// old, of another provider or of another browser.
    pub async fn take_oauth(
        &self,
        provider: Provider,
        state: &str,
        browser: &str,
    ) -> Result<Secret, Error> {
        let taken = self.store().take_oauth(&Digest::of(state)).await?;
        let taken = taken.filter(|attempt| {
            attempt.provider == provider
                && attempt.browser == Digest::of(browser)
                && attempt.made_at > limits::before(self.now(), limits::OAUTH_LASTS)
        });
        taken.map(|attempt| attempt.verifier).ok_or(Error::Forbidden)
    }

    /// Signs in who the provider says it is: see [`SignedInOutside`] for whom. Nobody gets an account
    /// through an address that was not verified on both sides.
    pub async fn sign_in_with(
        &self,
        provider: Provider,
        outside: OutsideUser,
        client: &Client,
    ) -> Result<SignedIn, Error> {
        self.count(&[limits::others_of_address(client)]).await?;
        let email = outside.email.filter(|_| outside.is_email_verified);
        let email = email.and_then(|email| Email::parse(&email).ok());
        let new_id = UserId::random(&*self.parts.entropy);
        let (session, secret) = self.new_session(new_id);
        let sign_in = OutsideSignIn {
            provider,
            outside_id: outside.id,
            email,
            new_id,
            session: session.digest,
            now: session.made_at,
            ends_at: session.ends_at,
        };
        match self.store().sign_in_outside(sign_in).await? {
            SignedInOutside::Done(user) => Ok(signed_in(user, secret)),
            SignedInOutside::Disabled => Err(Error::UserDisabled),
            SignedInOutside::NotVerified => Err(Error::EmailNotVerified),
            SignedInOutside::InUse => Err(Error::EmailInUse),
        }
    }
}
