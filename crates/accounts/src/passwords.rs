//! Passwords: Argon2id, only a few at once.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread::available_parallelism,
};

use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use consign_engine::Entropy;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::Error;

/// A password as it is kept: the PHC string, with its salt and its cost.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(***)")
    }
}

/// Makes and checks hashes. It computes on the thread of the caller, which must be one that may block:
/// one hash takes tens of milliseconds and 19 MiB. At most half of the cores do so at once.
pub struct Passwords {
    argon: Argon2<'static>,
    entropy: Arc<dyn Entropy>,
    turns: Semaphore,
    waiting: AtomicUsize,
    queue: usize,
    computed: AtomicU64,
    /// The hash of no password, at the same cost as all others.
    dummy: PasswordHash,
}

/// How many may wait for each that computes: about half a second.
const QUEUE: usize = 16;

/// In KiB, passes and lanes: the first choice of OWASP for Argon2id.
const COST: (u32, u32, u32) = (19_456, 2, 1);

/// The least that Argon2 takes.
const LEAST_COST: (u32, u32, u32) = (Params::MIN_M_COST, 1, 1);

/// In characters.
const LENGTHS: std::ops::RangeInclusive<usize> = 8..=256;

impl Passwords {
    #[must_use]
    pub fn new(entropy: Arc<dyn Entropy>) -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        let turns = (cores / 2).max(1);
        Self::with(entropy, COST, turns, turns * QUEUE)
    }

    /// For tests, which make many: hashes that anybody could break, with room for all who wait.
    #[must_use]
    pub fn weak(entropy: Arc<dyn Entropy>) -> Self {
        Self::with(entropy, LEAST_COST, 1, usize::MAX)
    }

    fn with(entropy: Arc<dyn Entropy>, cost: (u32, u32, u32), turns: usize, queue: usize) -> Self {
        let params = Params::new(cost.0, cost.1, cost.2, None);
        let argon = params.map(|params| Argon2::new(Algorithm::Argon2id, Version::V0x13, params));
        let argon = argon.expect("both costs are in the range of Argon2");
        let dummy = hashed(&argon, &*entropy, "");
        let (waiting, computed) = (AtomicUsize::new(0), AtomicU64::new(0));
        Self { argon, entropy, turns: Semaphore::new(turns), waiting, queue, computed, dummy }
    }

    /// How many hashes were computed.
    #[must_use]
    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    /// Refuses a password of the wrong length.
    pub(crate) fn check_length(field: &'static str, password: &str) -> Result<(), Error> {
        if LENGTHS.contains(&password.chars().count()) {
            return Ok(());
        }
        let (least, most) = (LENGTHS.start(), LENGTHS.end());
        let why = format!("must have {least} to {most} characters");
        Err(Error::Validation { field, why })
    }

    pub(crate) async fn hash(&self, password: &str) -> Result<PasswordHash, Error> {
        let _turn = self.turn().await?;
        self.computed.fetch_add(1, Ordering::Relaxed);
        Ok(hashed(&self.argon, &*self.entropy, password))
    }

    /// Whether this is the password. The same work is done if there is none to compare with.
    pub(crate) async fn is(
        &self,
        password: &str,
        kept: Option<&PasswordHash>,
    ) -> Result<bool, Error> {
        // Much longer than any password that can be set, and not worth the time of hashing.
        if password.chars().count() > *LENGTHS.end() {
            return Ok(false);
        }
        let _turn = self.turn().await?;
        self.computed.fetch_add(1, Ordering::Relaxed);
        let compared = kept.unwrap_or(&self.dummy);
        let is_same = self.argon.verify_password(password.as_bytes(), compared.as_str()).is_ok();
        Ok(is_same && kept.is_some())
    }

    async fn turn(&self) -> Result<SemaphorePermit<'_>, Error> {
        if let Ok(turn) = self.turns.try_acquire() {
            return Ok(turn);
        }
        let _place = Place::take(&self.waiting, self.queue).ok_or(Error::Overloaded)?;
        self.turns.acquire().await.map_err(|_| Error::Overloaded)
    }
}

/// A place in the queue, until it is dropped: also when the caller stops waiting.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize, most: usize) -> Option<Self> {
        let place = Self(waiting);
        (waiting.fetch_add(1, Ordering::AcqRel) < most).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn hashed(argon: &Argon2<'_>, entropy: &dyn Entropy, password: &str) -> PasswordHash {
    let mut salt = [0; 16];
    entropy.fill(&mut salt);
    let hash = argon.hash_password_with_salt(password.as_bytes(), &salt);
    PasswordHash(hash.expect("salt and password have lengths that Argon2 takes").to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU8;

    use super::*;

    struct Steps(AtomicU8);

    impl Entropy for Steps {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0.fetch_add(1, Ordering::Relaxed));
        }
    }

    fn entropy() -> Arc<dyn Entropy> {
        Arc::new(Steps(AtomicU8::new(0)))
    }

    #[tokio::test]
    async fn a_password_is_kept_as_argon2id_with_a_salt_of_its_own() {
        let passwords = Passwords::new(entropy());
        let one = passwords.hash("correct horse").await.unwrap();
        assert!(one.as_str().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", one.as_str());
        assert!(passwords.is("correct horse", Some(&one)).await.unwrap());
        assert!(!format!("{one:?}").contains("argon2id"));
        let weak = Passwords::weak(entropy());
        let (one, two) = (weak.hash("same").await.unwrap(), weak.hash("same").await.unwrap());
        assert_ne!(one, two);
        assert!(weak.is("same", Some(&one)).await.unwrap());
        assert!(!weak.is("Same", Some(&one)).await.unwrap());
        assert!(!weak.is("", None).await.unwrap(), "nobody has the password of nobody");
    }

    #[tokio::test]
    async fn a_password_that_nobody_can_have_is_not_worth_the_time() {
        let passwords = Passwords::weak(entropy());
        let long = "p".repeat(257);
        assert!(!passwords.is(&long, None).await.unwrap());
        assert_eq!(passwords.computed(), 0);
    }

    #[tokio::test]
    async fn beyond_a_short_queue_nobody_waits() {
        let passwords = Passwords::with(entropy(), LEAST_COST, 1, 2);
        let turn = passwords.turn().await.unwrap();
        let waits = || Box::pin(passwords.hash("password"));
        let (mut one, mut two) = (waits(), waits());
        assert!(is_pending(&mut one).await && is_pending(&mut two).await);
        assert!(matches!(passwords.hash("password").await, Err(Error::Overloaded)));
        drop(one);
        let mut three = waits();
        assert!(is_pending(&mut three).await, "a place that was left is free");
        drop(turn);
        two.await.unwrap();
        three.await.unwrap();
        passwords.hash("password").await.unwrap();
    }

    /// Whether it is not done when it is asked once.
    async fn is_pending(future: &mut (impl Future + Unpin)) -> bool {
        std::future::poll_fn(|context| {
            std::task::Poll::Ready(std::pin::Pin::new(&mut *future).poll(context).is_pending())
        })
        .await
    }
}
