//! Finds personal data by its form, and by checksums where the form has one.
//!
//! Each type has its file with one function, from the text of a window to [`Hit`]s. What they have in common is
//! here: the view they look at, the words that may stand before a value, and which of two hits that overlap counts.

mod birth;
mod card;
mod digits;
mod email;
mod iban;
mod ip;
mod key;
mod names;
mod national;
mod phone;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{view::View, windows::windows};

/// A type of personal data. The order is also which of two counts that stand in the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonalData {
    Key,
    Email,
    Iban,
    Card,
    NationalId,
    Ip,
    BirthDate,
    Phone,
    Name,
    Place,
}

impl PersonalData {
    pub const ALL: [Self; 10] = [
        Self::Key,
        Self::Email,
        Self::Iban,
        Self::Card,
        Self::NationalId,
        Self::Ip,
        Self::BirthDate,
        Self::Phone,
        Self::Name,
        Self::Place,
    ];

    /// What stands in its place, without brackets and number.
    #[must_use]
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Key => "KEY",
            Self::Email => "EMAIL",
            Self::Iban => "IBAN",
            Self::Card => "CARD",
            Self::NationalId => "NATIONAL_ID",
            Self::Ip => "IP",
            Self::BirthDate => "BIRTH_DATE",
            Self::Phone => "PHONE",
            Self::Name => "NAME",
            Self::Place => "PLACE",
        }
    }

    /// The type with this mark, in whichever case: `EMAIL`, `national_id`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.mark().eq_ignore_ascii_case(name))
    }

    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Key => "key or password",
            Self::Email => "e-mail address",
            Self::Iban => "bank account",
            Self::Card => "payment card",
            Self::NationalId => "national id",
            Self::Ip => "IP address",
            Self::BirthDate => "date of birth",
            Self::Phone => "phone number",
            Self::Name => "name",
            Self::Place => "place",
        }
    }
}

/// Personal data in a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) kind: PersonalData,
    /// In bytes of the text.
    pub(crate) span: Range<usize>,
    /// The same for all ways in which the value can be written.
    pub(crate) canonical: String,
}

/// Personal data in a view.
struct Hit {
    kind: PersonalData,
    range: Range<usize>,
    canonical: String,
}

/// No date, address of a machine or number of a person has fewer in one window.
const FEWEST_DIGITS: usize = 3;

/// All personal data of a text, in its order, without overlaps.
pub(crate) fn find(text: &str, entities: bool) -> Vec<Value> {
    let mut values: Vec<Value> = key::known(text)
        .map(|span| Value {
            kind: PersonalData::Key,
            canonical: text.get(span.clone()).unwrap_or_default().to_owned(),
            span,
        })
        .collect();
    for (start, piece) in windows(text) {
        let view = View::plain(piece);
        let mut hits = Vec::new();
        email::find(&view.text, &mut hits);
        let digits = view.text.bytes().filter(u8::is_ascii_digit).count();
        // Without what a type cannot do without, its patterns need not even be built.
        if digits > 0 || view.text.contains(key::SIGNS) {
            key::find(&view.text, &mut hits);
        }
        if digits >= FEWEST_DIGITS {
            iban::find(&view.text, &mut hits);
            national::find(&view.text, &mut hits);
            ip::find(&view.text, &mut hits);
            birth::find(&view.text, &mut hits);
            digits::find(&view.text, &mut hits);
        }
        if entities {
            names::find(&view.text, &mut hits);
        }
        values.extend(hits.into_iter().map(|hit| {
            let span = view.source(&hit.range);
            Value {
                kind: hit.kind,
                span: start + span.start..start + span.end,
                canonical: hit.canonical,
            }
        }));
    }
    without_overlaps(values)
}

/// Of two values in the same place the earlier type stays, then the longer. What is left is in the order of the text.
fn without_overlaps(mut values: Vec<Value>) -> Vec<Value> {
    values.retain(|it| !it.span.is_empty());
    values.sort_by_key(|it| (it.span.start, it.kind, std::cmp::Reverse(it.span.end)));
    let mut kept: Vec<Value> = Vec::with_capacity(values.len());
    for value in values {
        while let Some(last) = kept.last()
            && value.span.start < last.span.end
            && better(&value, last)
        {
            kept.pop();
        }
        if kept.last().is_none_or(|last| value.span.start >= last.span.end) {
            kept.push(value);
        }
    }
    kept
}

fn better(one: &Value, other: &Value) -> bool {
    (one.kind, other.span.len()) < (other.kind, one.span.len())
}

/// The text before a place, at most so many bytes and within its line, in small letters.
fn before(text: &str, at: usize, most: usize) -> String {
    let from = text.floor_char_boundary(at.saturating_sub(most));
    let piece = text.get(from..at).unwrap_or_default();
    let line = piece.rsplit('\n').next().unwrap_or(piece);
    line.to_lowercase()
}

/// Whether one of these words stands in the text, as a word or as the beginning or end of one.
fn has_word(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        text.match_indices(word).any(|(at, _)| {
            let ideograph = word.chars().next().is_some_and(crate::view::is_ideograph);
            let begins = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
            let ends = text[at + word.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric());
            ideograph || (begins && ends)
        })
    })
}

/// Whether the character that ends before or begins at a place belongs to a word.
fn is_in_word(text: &str, range: &Range<usize>) -> bool {
    let word = |c: char| (c.is_alphanumeric() && !crate::view::is_ideograph(c)) || c == '_';
    text[..range.start].chars().next_back().is_some_and(word)
        || text[range.end..].chars().next().is_some_and(word)
}

fn digits_of(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests;
