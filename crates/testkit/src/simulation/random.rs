//! The only source of randomness in a simulation: the same seed always gives the same numbers.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use consign_engine::Entropy;

/// splitmix64: its state is a counter, so that it can be shared without a lock.
#[derive(Debug)]
pub(super) struct Random(AtomicU64);

const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        let random = Self(AtomicU64::new(seed.wrapping_mul(STRIDE)));
        // Neighbouring seeds must not give neighbouring streams.
        let scattered = random.next();
        Self(AtomicU64::new(scattered))
    }

    pub(super) fn next(&self) -> u64 {
        let mut mixed = self.0.fetch_add(STRIDE, Ordering::Relaxed).wrapping_add(STRIDE);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to but not including `end`.
    pub(super) fn below(&self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// From `least` to `most`, both included.
    pub(super) fn between(&self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// True so many times out of a thousand.
    pub(super) fn chance(&self, per_mille: u64) -> bool {
        self.below(1000) < per_mille
    }

    pub(super) fn pick<'a, T>(&self, of: &'a [T]) -> &'a T {
        let index = self.index(of.len());
        &of[index]
    }

    pub(super) fn index(&self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).expect("it is below a usize")
    }

    pub(super) fn millis(&self, least: u64, most: u64) -> Duration {
        Duration::from_millis(self.between(least, most))
    }
}

impl Entropy for Random {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }
}
