//! Words and numbers that are the same each time.

/// A generator of numbers: the same seed gives the same ones.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % most
    }

    pub(crate) fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    pub(crate) fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    /// A sentence that begins with a capital and ends with a stop.
    pub(crate) fn sentence(&mut self) -> String {
        let count = 6 + self.below(12);
        let words = self.words(count);
        format!("{}{}.", words[..1].to_uppercase(), &words[1..])
    }

    pub(crate) fn paragraph(&mut self) -> String {
        let count = 3 + self.below(4);
        (0..count).map(|_| self.sentence()).collect::<Vec<_>>().join(" ")
    }
}

const WORDS: [&str; 64] = [
    "river", "mountain", "signal", "garden", "window", "engine", "copper", "winter", "harbour",
    "bridge", "forest", "market", "silver", "island", "lantern", "meadow", "pepper", "orchard",
    "castle", "thunder", "velvet", "basket", "candle", "desert", "feather", "glacier", "hammer",
    "iron", "jacket", "kettle", "ladder", "mirror", "needle", "ocean", "pencil", "quarry",
    "ribbon", "saddle", "temple", "umbrella", "valley", "wagon", "yellow", "zephyr", "anchor",
    "blanket", "cotton", "dragon", "ember", "falcon", "granite", "hollow", "ivory", "jasmine",
    "kernel", "linen", "marble", "nectar", "olive", "planet", "quartz", "rocket", "stream",
    "timber",
];
