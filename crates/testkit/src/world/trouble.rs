//! Stores that are slow, or cannot write for a while.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use consign_engine::store::Error;
use tokio::sync::watch;

use super::hooked::{Hook, Write, Wrote};

/// Holds up whoever has committed: the step is durable, and its writer does not know yet.
pub struct Turnstile {
    shut: watch::Sender<bool>,
    held: watch::Sender<usize>,
}

impl Turnstile {
    #[must_use]
    pub fn new() -> Self {
        Self { shut: watch::Sender::new(false), held: watch::Sender::new(0) }
    }

    pub fn shut(&self) {
        self.shut.send_replace(true);
    }

    pub fn open(&self) {
        self.shut.send_replace(false);
    }

    /// Comes back when somebody stands there.
    pub async fn holds_somebody(&self) {
        // The sender is here as long as this is asked.
        let _ = self.held.subscribe().wait_for(|held| *held > 0).await;
    }
}

impl Default for Turnstile {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Hook for Turnstile {
    async fn after(&self, write: Write<'_>, _wrote: Wrote<'_>) {
        let Write::Commit(_) = write else { return };
        self.held.send_modify(|held| *held += 1);
        let _ = self.shut.subscribe().wait_for(|shut| !shut).await;
        self.held.send_modify(|held| *held -= 1);
    }
}

/// A store that cannot commit for a while.
#[derive(Default)]
pub struct Outage {
    left: AtomicUsize,
    lost: AtomicBool,
}

impl Outage {
    /// The next so many commits cannot be written.
    pub fn lasts(&self, commits: usize) {
        self.left.store(commits, Ordering::Relaxed);
    }

    /// Whether, from now on, nobody can tell what becomes of a commit.
    pub fn loses(&self, lost: bool) {
        self.lost.store(lost, Ordering::Relaxed);
    }
}

#[async_trait]
impl Hook for Outage {
    async fn before(&self, write: Write<'_>) -> Result<(), Error> {
        let Write::Commit(_) = write else { return Ok(()) };
        if self.lost.load(Ordering::Relaxed) {
            return Err(Error::Lost("a sync failed".to_owned()));
        }
        let left = self.left.load(Ordering::Relaxed);
        if left == 0 {
            return Ok(());
        }
        self.left.store(left - 1, Ordering::Relaxed);
        Err(Error::Unavailable("the disk is full".to_owned()))
    }
}
