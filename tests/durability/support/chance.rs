//! Chance that can be had again: everything follows from a seed.

use std::{
    ops::Range,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// `SplitMix64`.
#[derive(Clone, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The seed in `CONSIGN_SEED`, else a fresh one. The caller shows it.
    pub(crate) fn seed() -> u64 {
        let given = std::env::var("CONSIGN_SEED").ok();
        given.map(|seed| seed.parse().expect("CONSIGN_SEED is a number")).unwrap_or_else(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::from(now.subsec_nanos()) ^ now.as_secs()
        })
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// True once in so many.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let place = usize::try_from(self.below(of.len() as u64)).expect("an index");
        &of[place]
    }

    /// A span of milliseconds, by microseconds.
    pub(crate) fn millis(&mut self, range: Range<u64>) -> Duration {
        let (from, to) = (range.start * 1_000, range.end * 1_000);
        Duration::from_micros(from + self.below(to - from))
    }

    pub(crate) fn shuffle<T>(&mut self, of: &mut [T]) {
        for last in (1..of.len()).rev() {
            let other = usize::try_from(self.below(last as u64 + 1)).expect("an index");
            of.swap(last, other);
        }
    }
}
