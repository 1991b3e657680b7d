//! What became of questions of a kind.

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) all: usize,
    /// Answered with a citation of each expected source, or refused where nothing is there.
    pub(crate) right: usize,
    /// Of those, the ones with the expected words.
    pub(crate) words: usize,
    /// Answers without a citation.
    pub(crate) refused: usize,
    pub(crate) blocked: usize,
}

impl Tally {
    pub(crate) fn share(&self) -> f64 {
        self.right as f64 / self.all.max(1) as f64
    }

    pub(crate) fn figures(&self) -> Value {
        json!({
            "all": self.all,
            "right": self.right,
            "percent": (self.share() * 1e3).round() / 10.0,
            "with_words": self.words,
            "refused": self.refused,
            "blocked": self.blocked,
        })
    }
}
