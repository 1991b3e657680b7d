//! What can be checked of a sentence besides its words: numbers, dates, names and negation.
//!
//! It knows digits with the separators of several countries, dates as they are usually written, numbers from zero to
//! twenty in words, units of time, percent and three currencies. It does not know longer numbers in words or other units,
//! whose words count like any others; in German it cannot tell a name from a noun.

mod dates;
mod numbers;

use std::ops::Range;

use consign_knowledge::Language;

pub(crate) use self::{
    dates::Date,
    numbers::{Number, Unit},
};
use crate::{
    lists::{self, Lists},
    phrase::{self, Word},
};

/// What a sentence says, as far as it can be checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) numbers: Vec<Number>,
    pub(crate) dates: Vec<Date>,
    pub(crate) names: Vec<Name>,
    pub(crate) negations: usize,
    /// Whether it forbids or limits in other words.
    pub(crate) limited: bool,
}

/// A name, or an id such as `LP-17`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) word: String,
    pub(crate) range: Range<usize>,
}

impl Facts {
    pub(crate) fn of(text: &str) -> Self {
        let lists = lists::of(lists::language_of(text));
        Self::in_language(text, lists)
    }

    pub(crate) fn in_language(text: &str, lists: &Lists) -> Self {
        let words = phrase::words(text);
        let dates = dates::find(text, &words);
        let inside = |range: &Range<usize>| {
            dates.iter().any(|date| date.range.start <= range.start && range.end <= date.range.end)
        };
        let mut numbers = numbers::find(text, &words, lists);
        numbers.retain(|number| !inside(&number.range));
        let negation = |word: &&Word| {
            lists.negation.contains(&word.normal.as_str()) || word.normal.ends_with("n't")
        };
        let limits = |word: &Word| lists.limits.contains(&word.normal.as_str());
        let mut names = names(text, &words, lists);
        names.retain(|name| !inside(&name.range));
        Self {
            numbers,
            names,
            negations: words.iter().filter(negation).count(),
            limited: words.iter().any(limits),
            dates,
        }
    }

    pub(crate) fn has_number(&self) -> bool {
        !self.numbers.is_empty() || !self.dates.is_empty()
    }

    pub(crate) fn has_date(&self) -> bool {
        let year = |number: &Number| number.values.iter().any(|v| (1000.0..2200.0).contains(v));
        !self.dates.is_empty() || self.numbers.iter().any(|n| n.is_clock || year(n))
    }

    pub(crate) fn has_time(&self) -> bool {
        let is_time = |number: &Number| number.is_clock || number.unit.is_some_and(Unit::is_time);
        self.has_date() || self.numbers.iter().any(is_time)
    }

    /// Whether a number of an answer is among those of a source.
    pub(crate) fn has(&self, number: &Number) -> bool {
        self.numbers.iter().any(|own| own.says(number))
            || self.dates.iter().any(|date| date.parts().any(|part| number.is_plain(part)))
    }

    pub(crate) fn has_this_date(&self, date: &Date) -> bool {
        self.dates.iter().any(|own| own.says(date)) || self.parts_are_there(date)
    }

    /// A table can have day, month and year in different cells.
    fn parts_are_there(&self, date: &Date) -> bool {
        date.month.is_none()
            && date.parts().all(|part| self.numbers.iter().any(|number| number.is_plain(part)))
    }
}

/// Words with a capital letter that does not come from the beginning of a sentence, and ids.
fn names(text: &str, words: &[Word], lists: &Lists) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let said = text.get(word.range.clone()).unwrap_or_default();
        let plain = consign_knowledge::is_stop_word(&word.normal, lists.language)
            || lists.framing.contains(&word.normal.as_str())
            || dates::month(&word.normal).is_some();
        let is_id = is_id(said);
        let next = words.get(at + 1).is_some_and(|next| {
            next.capital && text.get(word.range.end..next.range.start) == Some(" ")
        });
        let previous = at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|last| {
            last.capital
                && !consign_knowledge::is_stop_word(&last.normal, lists.language)
                && text.get(last.range.end..word.range.start) == Some(" ")
        });
        let is_name = if lists.language == Language::German {
            word.capital && (next || previous)
        } else {
            word.capital && !begins_sentence(text, word.range.start)
                || word.capital && next && at == 0
        };
        if !plain && (is_id || is_name) && word.normal.chars().count() > 1 {
            names.push(Name { word: word.normal.clone(), range: word.range.clone() });
        }
    }
    names
}

/// Capitals after the first letter, letters with digits, or an underscore.
fn is_id(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digits = word.chars().any(|c| c.is_ascii_digit());
    let begins = word.chars().next().is_some_and(char::is_alphabetic);
    let capitals = word.chars().skip(1).any(char::is_uppercase);
    begins && letters > 0 && digits
        || (capitals && letters > 2)
        || (word.contains('_') && letters > 0)
}

fn begins_sentence(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end();
    let last = before.chars().rev().find(|c| !matches!(c, '"' | '“' | '„' | '«' | '(' | '*' | '_'));
    last.is_none_or(|c| matches!(c, '.' | '!' | '?' | ':' | '|' | '¿' | '¡' | '-' | '–' | ';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_found() {
        let check = |text: &str, expected: &[&str]| {
            let facts = Facts::of(text);
            let names: Vec<_> = facts.names.iter().map(|name| name.word.as_str()).collect();
            assert_eq!(names, expected, "{text}");
        };
        check("The report was signed by Maria Lopez.", &["maria", "lopez"]);
        check("Der Vertrag ist von Anna Schmidt.", &["anna", "schmidt"]);
        check("The strain is WI204 and ERR_TIMEOUT.", &["wi204", "err_timeout"]);
        check("It rained on 3 March.", &[]);
    }

    #[test]
    fn negation_is_counted_in_four_languages() {
        let check = |text: &str, count| assert_eq!(Facts::of(text).negations, count, "{text}");
        check("It is not refunded.", 1);
        check("You don't pay.", 1);
        check("Das gilt nicht für die Gäste.", 1);
        check("No se admite en la sala.", 1);
        check("The refund is paid.", 0);
    }
}
