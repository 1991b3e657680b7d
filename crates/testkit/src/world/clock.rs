//! A clock that follows tokio's time, a wall clock that can be set, and random numbers from a fixed
//! seed.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use consign_engine::{At, Clock, Entropy};
use tokio::time::Instant;

use crate::draft::DAWN;

/// A clock that starts at [`DAWN`]. Under paused time it stands still until everything sleeps.
#[derive(Clone)]
pub struct FakeClock {
    start: Instant,
    /// By how many microseconds somebody set the wall clock, forth or back.
    set: Arc<AtomicI64>,
    looks: Arc<AtomicU64>,
}

impl FakeClock {
    #[must_use]
    pub fn new() -> Self {
        Self { start: Instant::now(), set: Arc::default(), looks: Arc::default() }
    }

    /// How often anybody looked at it.
    #[must_use]
    pub fn looks(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }

    /// Somebody sets the wall clock forth.
    pub fn set_forth(&self, by: Duration) {
        self.set.fetch_add(micros(by), Ordering::Relaxed);
    }

    /// Somebody sets the wall clock back.
    pub fn set_back(&self, by: Duration) {
        self.set.fetch_sub(micros(by), Ordering::Relaxed);
    }
}

impl Default for FakeClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for FakeClock {
    fn wall(&self) -> At {
        self.looks.fetch_add(1, Ordering::Relaxed);
        At((DAWN + self.start.elapsed()).0 + self.set.load(Ordering::Relaxed))
    }

    fn ticks(&self) -> Duration {
        self.start.elapsed()
    }
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

/// Randomness by a seed (SplitMix64). Clones draw from the same sequence.
#[derive(Clone)]
pub struct Dice(Arc<AtomicU64>);

impl Dice {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(AtomicU64::new(seed)))
    }

    fn roll(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut mixed = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

impl Entropy for Dice {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.roll().to_le_bytes()[..chunk.len()]);
        }
    }
}
