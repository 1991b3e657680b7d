//! Whether the documents have an answer.
//!
//! A logistic function of what speaks for the best sentence. Rank and fused score say nothing about it; what tells is how
//! much of the question, weighted by rarity, the best sentence and its passage cover, and whether names, ids and numbers
//! of the question are there at all.

use serde::{Deserialize, Serialize};

/// What speaks for and against an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Signals {
    /// The share of the question's words, by weight, that the best sentence has itself.
    pub own: f64,
    /// The same with headings, the sentence before and the rest of its passage, which count for less.
    pub covered: f64,
    /// The share that its passage has, with headings and title.
    pub passage: f64,
    /// The share that all passages together have.
    pub together: f64,
    /// The weight of the heaviest word that its passage lacks, by that of the heaviest word.
    pub missing: f64,
    /// Names, ids and numbers of the question that no passage has.
    pub absent: f64,
    /// Those that only other passages have.
    pub elsewhere: f64,
    /// Whether it has the kind of thing that is asked for: 1, 0 where that cannot be told, or -1.
    pub typed: f64,
    /// How far it is ahead of the best sentence of another passage.
    pub margin: f64,
    /// The share of what is asked (the question's words but for those of the document's title) that the sentence has, with
    /// the heading above it.
    pub focus: f64,
    /// The same for its passage.
    pub focus_passage: f64,
    /// How many of these words the sentence has.
    pub count: f64,
    /// How close together they stand.
    pub close: f64,
    /// How many neighbours of the question are neighbours in it.
    pub pairs: f64,
    /// How many words the question has that say something.
    pub words: f64,
    /// The best cosine, where there is a model.
    pub cosine: Option<f64>,
}

/// A weight for each signal.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fit {
    offset: f64,
    own: f64,
    covered: f64,
    passage: f64,
    together: f64,
    missing: f64,
    absent: f64,
    elsewhere: f64,
    typed: f64,
    margin: f64,
    cosine: f64,
}

/// By words alone.
const WORDS: Fit = Fit {
    offset: -4.6,
    own: 1.0,
    covered: 5.0,
    passage: 2.0,
    together: 0.5,
    missing: -1.5,
    absent: -2.0,
    elsewhere: -0.5,
    typed: 0.6,
    margin: 0.5,
    cosine: 0.0,
};

/// With a model.
const BOTH: Fit = Fit { offset: -7.6, cosine: 5.0, ..WORDS };

/// From here on it is answered.
const ENOUGH: f64 = 0.5;

/// How likely it is that the passages have an answer: 0 to 1.
#[must_use]
pub(crate) fn likely(signals: &Signals) -> f64 {
    let fit = if signals.cosine.is_some() { BOTH } else { WORDS };
    let sum = fit.offset
        + fit.own * signals.own
        + fit.covered * signals.covered
        + fit.passage * signals.passage
        + fit.together * signals.together
        + fit.missing * signals.missing
        + fit.absent * signals.absent
        + fit.elsewhere * signals.elsewhere
        + fit.typed * signals.typed
        + fit.margin * signals.margin
        + fit.cosine * signals.cosine.unwrap_or(0.0);
    1.0 / (1.0 + (-sum).exp())
}

#[must_use]
pub(crate) fn has_answer(signals: &Signals) -> bool {
    likely(signals) >= ENOUGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_of_the_question_is_more_likely() {
        let full = Signals {
            own: 0.8,
            covered: 0.95,
            passage: 1.0,
            together: 1.0,
            words: 4.0,
            ..Signals::default()
        };
        assert!(has_answer(&full));
        assert!(!has_answer(&Signals::default()));
        assert!(!has_answer(&Signals {
            absent: 2.0,
            missing: 1.0,
            covered: 0.5,
            passage: 0.6,
            ..full
        }));
        assert!(likely(&Signals { typed: 1.0, ..full }) > likely(&Signals { typed: -1.0, ..full }));
    }
}
