//! What a question asks for, and what speaks for an answer to it.

use serde::{Deserialize, Serialize};

use crate::{
    facts::{Facts, Name, Number, Unit},
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
        let asks = (0..words.len()).find_map(|at| Self::at(&words[at..], lists));
        let is_price = || words.iter().any(|word| lists.prices.contains(&word.normal.as_str()));
        let asks = asks.unwrap_or(Self::Anything);
        // "What does it cost?"
        if asks == Self::Anything && is_price() { Self::HowMuch } else { asks }
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

/// What a question asks for, as sentences are tried for it.
pub(crate) struct Wanted<'a> {
    pub(crate) asks: Asks,
    pub(crate) lists: &'a Lists,
    /// What the question itself says is no answer to it.
    pub(crate) question: &'a Facts,
    /// Whether it asks what something costs, weighs or the like.
    pub(crate) is_measure: bool,
    /// Whether it asks for a date or a year by that name.
    pub(crate) is_dated: bool,
    /// Whether it asks for a sum of money, and whether a price is named here.
    pub(crate) is_price: bool,
    pub(crate) names_price: bool,
    /// Whether what is to be counted is named here.
    pub(crate) is_counted: bool,
}

impl Wanted<'_> {
    /// Whether a text has what is asked for. Nothing where it cannot be told.
    pub(crate) fn is_in(&self, text: &str, facts: &Facts) -> Option<bool> {
        let known =
            |number: &Number| self.question.numbers.iter().any(|own| own.values == number.values);
        let new = |number: &&Number| !known(number) && !number.is_weak && !number.is_paragraph;
        let mut numbers = facts.numbers.iter().filter(new);
        let is_new =
            |name: &&Name| !self.question.names.iter().any(|known| known.word == name.word);
        let dates = || facts.dates.iter().any(|date| !self.question.has_this_date(date));
        match self.asks {
            Asks::Who => {
                let day = |name: &Name| self.lists.days.contains(&name.word.as_str());
                let named = facts.names.iter().any(|name| is_new(&name) && !day(name));
                Some(named || has_any(text, self.lists.roles))
            }
            Asks::When if self.is_dated => {
                Some(dates() || facts.has_date() || has_any(text, self.lists.days))
            }
            Asks::When => Some(dates() || facts.has_time() || has_any(text, TIMES)),
            Asks::HowLong => Some(
                numbers.any(|number| number.unit.is_some_and(Unit::is_time))
                    || dates()
                    || has_any(text, self.lists.often),
            ),
            Asks::HowMany => Some(self.is_counted && numbers.next().is_some()),
            Asks::HowMuch if self.is_price => Some(
                numbers.any(|number| self.names_price || number.unit.is_some_and(Unit::is_money)),
            ),
            Asks::HowMuch => Some(numbers.any(|number| {
                let timed = number.unit.is_some_and(Unit::is_time) || number.is_clock;
                !timed || !self.is_measure
            })),
            Asks::Where => Some(
                facts.names.iter().any(|name| is_new(&name))
                    || has_any(text, self.lists.prepositions),
            ),
            // A reason can be given without saying that it is one.
            Asks::Why => has_any(text, self.lists.because).then_some(true),
            Asks::How | Asks::Anything => None,
        }
    }
}

/// What is said of a time without a date or a clock.
const TIMES: &[&str] = &[
    "before",
    "after",
    "in the morning",
    "in the afternoon",
    "in the evening",
    "noon",
    "midnight",
    "o'clock",
    "vor",
    "nach",
    "morgens",
    "mittags",
    "abends",
    "uhr",
    "antes",
    "después",
    "de la mañana",
    "de la tarde",
    "mediodía",
];

fn has_any(text: &str, phrases: &[&str]) -> bool {
    phrase::find_any(&phrase::words(text), phrases).is_some()
}
