//! [`Accounts`]: every rule of accounts, one file for each thing that a user can do.

mod codes;
mod log_in;
mod oauth;
mod password;
mod session;
mod set_up;
mod sign_up;
mod tokens;
mod users;

use std::sync::Arc;

use consign_engine::{At, Clock, Entropy};

use crate::{
    AccountStore, Counted, Digest, Error, Limit, Mailer, NewSession, Passwords, Secret, SignedIn,
    User, UserId, limits, secret,
};

#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Public routes answer alike for known and unknown addresses.
    pub is_discreet: bool,
}

/// Users and how they are known. Cheap to clone: all clones are the same.
///
/// Methods that take a password compute on the thread of the caller for tens of milliseconds: call them
/// where blocking is allowed.
#[derive(Clone)]
pub struct Accounts {
    parts: Arc<Parts>,
}

struct Parts {
    store: Arc<dyn AccountStore>,
    mailer: Arc<dyn Mailer>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    passwords: Arc<Passwords>,
    options: Options,
}

impl Accounts {
    #[must_use]
    pub fn new(
        store: Arc<dyn AccountStore>,
        mailer: Arc<dyn Mailer>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        options: Options,
    ) -> Self {
        let passwords = Arc::new(Passwords::new(entropy.clone()));
        Self::with_passwords(store, mailer, clock, entropy, options, passwords)
    }

    /// For tests: with passwords that cost less and are counted.
    #[must_use]
    pub fn with_passwords(
        store: Arc<dyn AccountStore>,
        mailer: Arc<dyn Mailer>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        options: Options,
        passwords: Arc<Passwords>,
    ) -> Self {
        let parts = Parts { store, mailer, clock, entropy, passwords, options };
        Self { parts: Arc::new(parts) }
    }

    fn store(&self) -> &dyn AccountStore {
        &*self.parts.store
    }

    fn now(&self) -> At {
        self.parts.clock.wall()
    }

    fn is_discreet(&self) -> bool {
        self.parts.options.is_discreet
    }

    fn random(&self, prefix: &str) -> Secret {
        Secret::random(prefix, &*self.parts.entropy)
    }

    /// What a stranger is told. With `is_discreet` whatever depends on who has an account is `instead`.
    fn told(&self, told: Error, instead: Error) -> Error {
        if self.is_discreet() { instead } else { told }
    }

    async fn count(&self, limits: &[Limit]) -> Result<(), Error> {
        match self.store().count(limits, self.now()).await? {
            Counted::Done => Ok(()),
            Counted::Limited { retry_after } => Err(Error::RateLimited { retry_after }),
        }
    }

    /// A new session, with its secret, for a user.
    fn new_session(&self, user: UserId) -> (NewSession, Secret) {
        let (secret, made_at) = (self.random(secret::SESSION), self.now());
        let digest = Digest::of(secret.reveal());
        let ends_at = made_at + limits::SESSION_IDLE;
        (NewSession { digest, user, made_at, ends_at }, secret)
    }
}

fn signed_in(user: User, session: Secret) -> SignedIn {
    let csrf = secret::csrf_of(session.reveal());
    SignedIn { user, session, csrf }
}

/// The earlier of the two ends of a session.
fn session_ends(made_at: At, seen_at: At) -> At {
    (seen_at + limits::SESSION_IDLE).min(made_at + limits::SESSION_LASTS)
}
