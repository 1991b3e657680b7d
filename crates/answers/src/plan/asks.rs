//! What a question asks for, and what speaks for an answer to it.

use serde::{Deserialize, Serialize};

use crate::{
    facts::Facts,
    lists::Lists,
    phrase::{self, Word},
};

/// What kind of thing a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asks {
    Who,
    When,
    HowLong,
    HowMany,
    HowMuch,
    Where,
    Why,
    How,
    Anything,
}

impl Asks {
    pub(crate) fn of(question: &str, lists: &Lists) -> Self {
        let words = phrase::words(question);
        (0..words.len()).find_map(|at| Self::at(&words[at..], lists)).unwrap_or(Self::Anything)
    }

    /// What the question word at the beginning of these asks for: of several phrases the longest.
    fn at(words: &[Word], lists: &Lists) -> Option<Self> {
        let all = [
            (Self::HowMany, lists.how_many),
            (Self::HowLong, lists.how_long),
            (Self::HowMuch, lists.how_much),
            (Self::When, lists.when),
            (Self::Where, lists.place),
            (Self::Why, lists.why),
            (Self::Who, lists.who),
            (Self::How, lists.how),
            (Self::Anything, lists.what),
        ];
        let mut best: Option<(usize, Self)> = None;
        for (asks, phrases) in all {
            if let Some(count) = phrase::begins_any(words, phrases)
                && best.is_none_or(|(most, _)| count > most)
            {
                best = Some((count, asks));
            }
        }
        best.map(|(_, asks)| asks)
    }
}

/// Whether words begin a question: with a question word, or a preposition before one ("in which").
pub(super) fn begins_question(words: &[Word], lists: &Lists) -> bool {
    let skip = usize::from(
        words.first().is_some_and(|word| lists.prepositions.contains(&word.normal.as_str())),
    );
    let at = |from: usize| words.get(from..).and_then(|words| Asks::at(words, lists)).is_some();
    at(0) || (skip > 0 && at(skip))
}

pub(super) fn has_question_word(text: &str, lists: &Lists) -> bool {
    let words = phrase::words(text);
    (0..words.len()).any(|at| Asks::at(&words[at..], lists).is_some())
}

/// Whether a text has what is asked for. Nothing where it cannot be told.
pub(crate) fn expects(asks: Asks, text: &str, facts: &Facts, lists: &Lists) -> Option<bool> {
    match asks {
        Asks::Who => Some(facts.has_name()),
        Asks::When => Some(facts.has_date() || facts.has_number()),
        Asks::HowLong | Asks::HowMany | Asks::HowMuch => Some(facts.has_number()),
        Asks::Where => Some(facts.has_name()),
        Asks::Why => {
            let words = phrase::words(text);
            Some(phrase::find_any(&words, lists.because).is_some())
        }
        Asks::How | Asks::Anything => None,
    }
}
