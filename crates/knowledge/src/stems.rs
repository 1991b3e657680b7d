//! Stems: what is indexed of a text, and what is looked for.
//!
//! Words without a meaning of their own (stop words) are not indexed: with stems and without them, long documents are
//! found worse than without stems. A question's words are stemmed in every language that the documents have, and each
//! gives one [`Term`] with its alternatives: nobody has to say, or guess, which language a question of two words is in.
//! Only its words without a meaning are those of the language that has most of them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::Range,
    sync::OnceLock,
};

use rust_stemmers::Stemmer;

use crate::{
    language::{Language, Languages},
    words::words,
};

/// The stems of a chunk, each with how often it is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stems {
    counts: BTreeMap<String, u32>,
    length: u32,
}

impl Stems {
    /// The stems of these texts, which are in one language.
    #[must_use]
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>, language: Language) -> Self {
        let mut stems = Self::default();
        // Most words of a text are there more than once.
        let mut known: HashMap<String, Option<String>> = HashMap::new();
        for text in texts {
            words(text, |word, _| {
                let stem = match known.get(word) {
                    Some(stem) => stem.clone(),
                    None => {
                        known.entry(word.to_owned()).or_insert_with(|| stem(word, language)).clone()
                    }
                };
                if let Some(stem) = stem {
                    *stems.counts.entry(stem).or_default() += 1;
                    stems.length += 1;
                }
            });
        }
        stems
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, u32)> {
        self.counts.iter().map(|(stem, count)| (stem.as_str(), *count))
    }

    #[must_use]
    pub fn count(&self, stem: &str) -> u32 {
        self.counts.get(stem).copied().unwrap_or_default()
    }

    /// How many words were counted.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.length
    }
}

/// One word of a question: what it may be in the index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term(BTreeSet<String>);

impl Term {
    pub fn alternatives(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// The most words of a question that are looked for.
pub const MOST_TERMS: usize = 64;

/// The most words of a question that are looked at.
const MOST_WORDS: usize = 1_000;

/// The terms of a question, in the order of its words, each once.
///
/// Words without a meaning of their own are left out, in the languages that have most of such words of the question. In
/// another language of the documents they would be words that no passage has, and each would count as much as a name
/// that is not there.
#[must_use]
pub fn terms(question: &str, languages: Languages) -> Vec<Term> {
    let mut all: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    words(question, |word, _| {
        if all.len() < MOST_WORDS && seen.insert(word.to_owned()) {
            all.push(word.to_owned());
        }
    });
    let stops = |language: Language| all.iter().filter(move |word| is_stop_word(word, language));
    let most = languages.iter().map(|language| stops(language).count()).max().unwrap_or_default();
    let asked = languages.iter().filter(|language| stops(*language).count() == most);
    let without: HashSet<&String> = asked.flat_map(stops).collect();
    let some = of_words(all.iter().filter(|word| !without.contains(word)), languages);
    // A question of nothing else may mean them.
    if some.is_empty() { of_words(all.iter(), languages) } else { some }
}

fn of_words<'a>(all: impl Iterator<Item = &'a String>, languages: Languages) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for word in all {
        if terms.len() >= MOST_TERMS {
            break;
        }
        let alternatives = languages.iter().filter_map(|language| stem(word, language)).collect();
        let term = Term(alternatives);
        // Two words of a question can have one stem.
        if !term.0.is_empty() && !terms.contains(&term) {
            terms.push(term);
        }
    }
    terms
}

/// Where a text has words of these terms: bytes, in order, without overlaps.
#[must_use]
pub fn marks(text: &str, terms: &[Term], languages: Languages) -> Vec<Range<usize>> {
    let wanted: HashSet<&str> = terms.iter().flat_map(Term::alternatives).collect();
    let mut marks: Vec<Range<usize>> = Vec::new();
    words(text, |word, range| {
        let is_wanted = languages
            .iter()
            .filter_map(|language| stem(word, language))
            .any(|stem| wanted.contains(stem.as_str()));
        if !is_wanted {
            return;
        }
        match marks.last_mut() {
            // A part of a name that is marked, or the next pair of a script without spaces.
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            Some(_) | None => marks.push(range),
        }
    });
    marks
}

/// The stem of a word, or nothing where the word means nothing by itself.
#[must_use]
pub fn stem(word: &str, language: Language) -> Option<String> {
    let Some(algorithm) = language.algorithm() else { return Some(word.to_owned()) };
    if is_stop_word(word, language) {
        return None;
    }
    // What has digits is a name or a number.
    if word.chars().any(char::is_numeric) {
        return Some(word.to_owned());
    }
    let stem = Stemmer::create(algorithm).stem(word).into_owned();
    Some(if stem.is_empty() { word.to_owned() } else { stem })
}

/// Whether a word means nothing by itself.
#[must_use]
pub fn is_stop_word(word: &str, language: Language) -> bool {
    static LISTS: OnceLock<HashMap<Language, HashSet<&'static str>>> = OnceLock::new();
    let lists = LISTS.get_or_init(|| {
        let all = Languages::from_bits(u32::MAX);
        let list = |language: Language| Some((language, stop_words::lookup(language.code())?));
        all.iter().filter_map(list).map(|(at, list)| (at, list.iter().copied().collect())).collect()
    });
    lists.get(&language).is_some_and(|list| list.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english(text: &str) -> Vec<(String, u32)> {
        let stems = Stems::of([text], Language::English);
        stems.iter().map(|(stem, count)| (stem.to_owned(), count)).collect()
    }

    fn pair(stem: &str, count: u32) -> (String, u32) {
        (stem.to_owned(), count)
    }

    fn shown(question: &str, languages: &[Language]) -> Vec<String> {
        let languages = languages.iter().fold(Languages::none(), |all, one| all.with(*one));
        let terms = terms(question, languages);
        terms.iter().map(|term| term.alternatives().collect::<Vec<_>>().join("|")).collect()
    }

    #[test]
    fn forms_of_a_word_are_one_stem_and_words_without_meaning_are_none() {
        let found = english("The refunds are refunded; a refund was refunded in 14 days.");
        assert_eq!(found, [pair("14", 1), pair("day", 1), pair("refund", 4)]);
        assert_eq!(Stems::of(["The refunds", "of it"], Language::English).length(), 1);
        let german = Stems::of(["Die Häuser und das Haus"], Language::German);
        assert_eq!(german.iter().collect::<Vec<_>>(), [("haus", 2)]);
    }

    #[test]
    fn each_language_with_stems_has_stop_words() {
        for language in
            Languages::from_bits(u32::MAX).iter().filter(|one| one.algorithm().is_some())
        {
            assert!(
                stop_words::lookup(language.code()).is_some_and(|list| !list.is_empty()),
                "{language:?}"
            );
        }
        assert!(is_stop_word("don't", Language::English));
    }

    #[test]
    fn a_question_is_stemmed_in_each_language_of_the_documents() {
        use Language::{English, German, Other};
        assert_eq!(shown("the houses of Häuser", &[English]), ["hous", "häuser"]);
        assert_eq!(shown("Häuser", &[English, German]), ["haus|häuser"]);
        // A word that means nothing in one language may be one in another.
        assert_eq!(shown("die", &[English]), ["die"]);
        assert_eq!(shown("die", &[German]), Vec::<String>::new());
        assert_eq!(shown("refund refunds Refunded", &[English]), ["refund"]);
        assert_eq!(shown("die Häuser", &[Other]), ["die", "häuser"]);
        assert_eq!(shown("refund", &[]), Vec::<String>::new());
        // What asks is left out, although it would be a word in the other languages.
        let all = [English, German, Other];
        assert_eq!(shown("How long does the refund take?", &all), ["long", "refund", "tak|take"]);
        assert_eq!(shown("Wie ist die Erstattung?", &all), ["erstatt|erstattung"]);
        assert_eq!(shown("die refund", &all), ["refund"]);
        assert_eq!(shown("die", &all), ["die"]);
        let long: String = (0..1_000).map(|n| format!("w{n} ")).collect();
        assert_eq!(shown(&long, &[English]).len(), MOST_TERMS);
    }

    #[test]
    fn what_matches_is_marked() {
        let all = Languages::none().with(Language::English);
        let text = "Refunds take 14 days; we refund at ERR_REFUND.";
        let terms = terms("refunded day", all);
        let marked: Vec<_> =
            marks(text, &terms, all).into_iter().map(|range| &text[range]).collect();
        assert_eq!(marked, ["Refunds", "days", "refund", "REFUND"]);
        let other = Languages::none().with(Language::Other);
        let terms = super::terms("東京都", other);
        let text = "昔の東京都には";
        let marked: Vec<_> =
            marks(text, &terms, other).into_iter().map(|range| &text[range]).collect();
        assert_eq!(marked, ["東京都"]);
    }
}
