//! Accounts for tests: a clock that stands still, mail that is kept, and passwords that cost little.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use consign_accounts::{
    AccountStore, Accounts, At, Client, MailError, Mailer, Options, Passwords, Purpose, SignedIn,
    User,
};
use consign_engine::Clock;

use crate::{draft::DAWN, world::clock::Dice};

/// Accounts on a store, with all that a test wants to look at or to change.
pub struct AccountsWorld {
    pub accounts: Accounts,
    pub clock: Arc<SetClock>,
    pub mail: Arc<SentMail>,
    pub passwords: Arc<Passwords>,
}

/// A password that can be set.
pub const PASSWORD: &str = "correct horse";

impl AccountsWorld {
    #[must_use]
    pub fn new(store: Arc<dyn AccountStore>) -> Self {
        Self::with(store, Options::default(), 1)
    }

    #[must_use]
    pub fn discreet(store: Arc<dyn AccountStore>) -> Self {
        Self::with(store, Options { is_discreet: true }, 1)
    }

    /// With random numbers by a seed: two worlds on one store need two.
    #[must_use]
    pub fn with(store: Arc<dyn AccountStore>, options: Options, seed: u64) -> Self {
        let (clock, mail) = (Arc::new(SetClock::default()), Arc::new(SentMail::default()));
        let dice = Arc::new(Dice::new(seed));
        let passwords = Arc::new(Passwords::weak(dice.clone()));
        let accounts = Accounts::with_passwords(
            store,
            mail.clone(),
            clock.clone(),
            dice,
            options,
            passwords.clone(),
        );
        Self { accounts, clock, mail, passwords }
    }

    /// A user who can log in with [`PASSWORD`].
    pub async fn verified(&self, email: &str) -> User {
        let user = self.accounts.sign_up(email, PASSWORD, &client(250)).await;
        let user = user.expect("nobody has this address");
        let code = self.mail.last_code(&user.email);
        self.accounts.verify(email, &code, &client(250)).await.expect("the code is right");
        User { is_verified: true, ..user }
    }

    pub async fn logged_in(&self, email: &str) -> SignedIn {
        let signed_in = self.accounts.log_in(email, PASSWORD, &client(250)).await;
        signed_in.expect("the user can log in")
    }
}

/// Somebody at an address of his own.
#[must_use]
pub fn client(number: u8) -> Client {
    Client::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, number)))
}

/// Stands still until it is moved. Begins at [`DAWN`].
pub struct SetClock(AtomicI64);

impl SetClock {
    pub fn forward(&self, by: Duration) {
        let by = i64::try_from(by.as_micros()).expect("a span of a test");
        self.0.fetch_add(by, Ordering::Relaxed);
    }

    pub fn minutes(&self, minutes: u64) {
        self.forward(Duration::from_secs(60 * minutes));
    }
}

impl Default for SetClock {
    fn default() -> Self {
        Self(AtomicI64::new(DAWN.0))
    }
}

impl Clock for SetClock {
    fn wall(&self) -> At {
        At(self.0.load(Ordering::Relaxed))
    }

    fn ticks(&self) -> Duration {
        self.wall().since(DAWN)
    }
}

/// Mail that was sent: to whom, which code, for what.
#[derive(Default)]
pub struct SentMail(Mutex<Vec<(String, String, Purpose)>>);

impl SentMail {
    #[must_use]
    pub fn all(&self) -> Vec<(String, String, Purpose)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The newest code that was sent to an address.
    #[must_use]
    pub fn last_code(&self, to: &str) -> String {
        let all = self.all();
        let found = all.iter().rev().find(|(address, ..)| address == to);
        found.map(|(_, code, _)| code.clone()).expect("a code was sent")
    }
}

#[async_trait]
impl Mailer for SentMail {
    async fn send_code(&self, to: &str, code: &str, purpose: Purpose) -> Result<(), MailError> {
        let mut sent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sent.push((to.to_owned(), code.to_owned(), purpose));
        Ok(())
    }
}
