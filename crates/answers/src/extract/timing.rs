//! Before, during or after: how a text stands in time to what it names.
//!
//! "After the probation" and "during the probation" share every word that counts, and mean the contrary. Prepositions that
//! are about place as often as about time ("in", "bei") are left out.

use std::rc::Rc;

use crate::{
    lists, phrase,
    reader::{Reader, is_content},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Before,
    During,
    After,
}

const WORDS: [(When, &[&str]); 3] = [
    (When::Before, &["before", "vor", "antes", "avant"]),
    (When::During, &["during", "während", "durante", "pendant"]),
    (When::After, &["after", "nach", "después", "tras", "après"]),
];

/// How many words may stand between a preposition and what it is about: articles and the like.
const BETWEEN: usize = 3;

/// What a text says is before, during or after something.
#[derive(Clone, Debug, Default)]
pub(super) struct Timing(Vec<(When, Rc<[String]>)>);

impl Timing {
    pub(super) fn of(text: &str, reader: &Reader) -> Self {
        let words = phrase::words(text);
        let lists = lists::of(lists::language_of(text));
        let mut all = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let is = |(_, known): &&(When, &[&str])| known.contains(&word.normal.as_str());
            let Some((when, _)) = WORDS.iter().find(is) else { continue };
            let behind = words.iter().skip(at + 1).take(BETWEEN);
            let named =
                behind.map(|word| word.normal.as_str()).find(|word| is_content(word, lists));
            all.extend(named.map(|named| (*when, reader.stems(named))));
        }
        Self(all)
    }

    /// Whether another text is about another time of the same thing.
    pub(super) fn differs(&self, other: &Self) -> bool {
        self.0.iter().any(|(when, stems)| {
            let same =
                |(_, known): &&(When, Rc<[String]>)| known.iter().any(|stem| stems.contains(stem));
            let mut others = other.0.iter().filter(same).peekable();
            others.peek().is_some() && others.all(|(known, _)| known != when)
        })
    }
}
