//! Keeps track of which of many equal activities have ended.
//!
//! One bit each: a state that holds a thousand of them is still stored with every commit.

use consign_engine::Key;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ticks {
    of: u32,
    words: Vec<u64>,
}

impl Ticks {
    /// None of so many.
    pub(super) fn new(of: u32) -> Self {
        Self { of, words: vec![0; of.div_ceil(64) as usize] }
    }

    pub(super) fn of(&self) -> u32 {
        self.of
    }

    /// The numbers, from 1, that are still open.
    pub(super) fn open(&self) -> impl Iterator<Item = u32> {
        (1..=self.of).filter(|number| !self.is_ticked(*number))
    }

    /// Ticks the activity `{prefix}{number}`. False if it is none of these or already ticked.
    pub(super) fn tick(&mut self, prefix: &str, key: &Key) -> bool {
        let number = key.as_str().strip_prefix(prefix).and_then(|number| number.parse().ok());
        let Some(number) = number.filter(|number| (1..=self.of).contains(number)) else {
            return false;
        };
        let fresh = !self.is_ticked(number);
        let (word, bit) = place(number);
        self.words[word] |= bit;
        fresh
    }

    fn is_ticked(&self, number: u32) -> bool {
        let (word, bit) = place(number);
        self.words[word] & bit != 0
    }
}

fn place(number: u32) -> (usize, u64) {
    let index = number - 1;
    (index as usize / 64, 1 << (index % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ticked_is_no_longer_open() {
        let mut ticks = Ticks::new(66);
        assert_eq!(ticks.open().count(), 66);
        assert!(ticks.tick("ask-", &Key::from("ask-65")));
        assert!(!ticks.tick("ask-", &Key::from("ask-65")));
        for stranger in ["ask-0", "ask-67", "ask-", "call-1", "ask-x"] {
            assert!(!ticks.tick("ask-", &Key::from(stranger)), "{stranger}");
        }
        assert_eq!(ticks.open().skip(63).collect::<Vec<_>>(), [64, 66]);
    }
}
