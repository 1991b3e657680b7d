//! BM25: how well the words of a chunk fit the words of a question.

/// What is known of all chunks of an owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub chunks: u64,
    /// The lengths of all chunks together.
    pub words: u64,
}

/// How soon another occurrence of a word stops counting, and how much a long chunk is held against it.
const K1: f64 = 1.2;
const B: f64 = 0.75;

impl Totals {
    /// How much a term says that so many chunks have. Always above 0.
    #[must_use]
    pub fn rarity(&self, chunks_with_it: u64) -> f64 {
        let (all, with) = (self.chunks as f64, chunks_with_it as f64);
        (1.0 + (all - with + 0.5).max(0.5) / (with + 0.5)).ln()
    }

    /// What a term adds to the score of a chunk of this length that has it `times`.
    #[must_use]
    pub fn score(&self, rarity: f64, times: u32, length: u32) -> f64 {
        let mean = (self.words as f64 / self.chunks.max(1) as f64).max(1.0);
        let times = f64::from(times);
        rarity * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * f64::from(length) / mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_often_there_in_short_chunks_count_most() {
        let totals = Totals { chunks: 1_000, words: 100_000 };
        assert!(totals.rarity(0) > totals.rarity(1) && totals.rarity(1) > totals.rarity(500));
        assert!(totals.rarity(1_000) > 0.0 && totals.rarity(2_000) > 0.0);
        let score = |times, length| totals.score(2.0, times, length);
        assert!(score(2, 100) > score(1, 100) && score(1, 50) > score(1, 100));
        assert!(score(1_000_000, 100) < 2.0 * (K1 + 1.0) && (score(1, 100) - 2.0).abs() < 1e-9);
        assert!(Totals::default().score(1.0, 1, 1).is_finite());
    }
}
