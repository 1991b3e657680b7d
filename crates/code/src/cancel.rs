//! Stops work early: because the caller cancels it, or because time is up.
//!
//! The two end differently. A cancelled call returns [`Error::Cancelled`]; when time is up, a call
//! returns what was found so far, and `truncated` says that it is not everything.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::Error;

/// The flag and the deadline. Checked once per file, directory and commit, and during a parse.
/// Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancel {
    /// Without a deadline, and not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Watches a flag that the caller owns.
    #[must_use]
    pub fn watching(flag: Arc<AtomicBool>) -> Self {
        Self { flag, deadline: None }
    }

    /// This flag, with a deadline from now on.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        Self { flag: self.flag.clone(), deadline: Instant::now().checked_add(time) }
    }

    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Whether to stop, for either reason.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_cancelled() || self.is_late()
    }

    #[must_use]
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// For the end of a piece of work: only a cancellation is an error.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
}
