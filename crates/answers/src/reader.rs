//! Words and stems of questions and passages, in every language that is in play.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    rc::Rc,
};

use consign_knowledge::{Language, Languages, is_stop_word, stem};

use crate::{
    lists::{self, Lists},
    passage::Passage,
    phrase,
};

/// Whether a word says something of a question's subject.
pub(crate) fn is_content(word: &str, lists: &Lists) -> bool {
    let known = [
        lists.framing,
        lists.who,
        lists.when,
        lists.place,
        lists.why,
        lists.how,
        lists.what,
        lists.how_much,
        lists.pronouns,
        lists.articles,
        lists.compare,
        lists.prepositions,
        lists.and,
    ];
    !is_stop_word(word, lists.language) && !known.iter().any(|list| list.contains(&word))
}

/// The words of a text that say something of its subject, in order, each once.
pub(crate) fn content_words(text: &str, lists: &Lists) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in phrase::words(text) {
        if is_content(&word.normal, lists) && !found.contains(&word.normal) {
            found.push(word.normal);
        }
    }
    found
}

/// Turns words into stems, in each of some languages: nobody has to guess which language a passage of five words is in.
pub(crate) struct Reader {
    languages: Vec<Language>,
    known: RefCell<HashMap<String, Rc<[String]>>>,
}

impl Reader {
    /// For these passages and the texts about them.
    pub(crate) fn of<'a>(
        passages: impl IntoIterator<Item = &'a Passage>,
        texts: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut languages = Languages::none();
        for passage in passages {
            languages = languages.with(Language::of(passage.read()));
        }
        for text in texts {
            languages = languages.with(lists::language_of(text));
        }
        Self { languages: languages.iter().collect(), known: RefCell::default() }
    }

    /// What a word may be in the index: nothing where it means nothing in any of the languages.
    pub(crate) fn stems(&self, word: &str) -> Rc<[String]> {
        if let Some(known) = self.known.borrow().get(word) {
            return known.clone();
        }
        let mut stems: Vec<String> =
            self.languages.iter().filter_map(|language| stem(word, *language)).collect();
        stems.sort_unstable();
        stems.dedup();
        let stems: Rc<[String]> = stems.into();
        self.known.borrow_mut().insert(word.to_owned(), stems.clone());
        stems
    }

    /// The words of a text, with their stems.
    pub(crate) fn read(&self, text: &str) -> Tokens {
        let mut tokens = Tokens::default();
        let mut place = 0;
        consign_knowledge::words(text, |word, _| {
            let stems = self.stems(word);
            for stem in &*stems {
                tokens.places.entry(stem.clone()).or_default().push(place);
            }
            if !stems.is_empty() {
                tokens.all.push(Token { word: word.to_owned(), stems });
            }
            place += 1;
        });
        tokens
    }
}

/// A word that may mean something.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) word: String,
    pub(crate) stems: Rc<[String]>,
}

/// The words of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tokens {
    pub(crate) all: Vec<Token>,
    /// Where each stem stands, counted in words.
    places: HashMap<String, Vec<usize>>,
}

impl Tokens {
    pub(crate) fn has(&self, stem: &str) -> bool {
        self.places.contains_key(stem)
    }

    pub(crate) fn place(&self, stem: &str) -> Option<usize> {
        self.places.get(stem).and_then(|places| places.first().copied())
    }

    /// How well a text has a word, from 0 to 1: the same stem, or one that begins or ends with the other.
    pub(crate) fn match_of(&self, stems: &[String]) -> f64 {
        if stems.iter().any(|stem| self.has(stem)) {
            return 1.0;
        }
        let near = |stem: &String| self.places.keys().any(|other| is_near(stem, other));
        if stems.iter().any(near) { NEAR } else { 0.0 }
    }

    /// The same; a word of the same meaning counts too, a little less.
    pub(crate) fn match_or_alike(&self, stems: &[String], alike: &[String]) -> f64 {
        let own = self.match_of(stems);
        if own < ALIKE && alike.iter().any(|stem| self.has(stem)) { ALIKE } else { own }
    }

    /// All stems, for comparing sets.
    pub(crate) fn stems(&self) -> HashSet<&str> {
        self.places.keys().map(String::as_str).collect()
    }
}

/// What a word counts that is a part of another.
pub(crate) const NEAR: f64 = 0.7;

/// What a word counts that means as much as another.
const ALIKE: f64 = 0.85;

/// Whether one word is a part of the other: a compound, or a word made from it.
fn is_near(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if short.chars().any(|c| c.is_ascii_digit()) {
        return false;
    }
    let letters = short.chars().count();
    let share = |most: usize| long.chars().count() <= most;
    if letters >= 4 && long.starts_with(short) {
        return share(letters * 3);
    }
    if letters >= 5 && long.ends_with(short) {
        return share(letters * 3);
    }
    // "reimburse", "reimbursable": the same beginning, and little else.
    let common = short.chars().zip(long.chars()).take_while(|(a, b)| a == b).count();
    common >= 6 && common + 3 >= letters && common + 4 >= long.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_words_are_near() {
        let check =
            |one: &str, other: &str, near| assert_eq!(is_near(one, other), near, "{one} {other}");
        check("urlaub", "urlaubstag", true);
        check("pumpe", "wasserpumpe", true);
        check("weigh", "weight", true);
        check("port", "report", false);
        check("art", "article", false);
        check("c2", "c23", false);
    }

    #[test]
    fn words_are_read_in_each_language() {
        let reader = Reader {
            languages: vec![Language::English, Language::German],
            known: RefCell::default(),
        };
        let tokens = reader.read("Die Häuser are refunded");
        assert_eq!(tokens.match_of(&reader.stems("haus")), 1.0);
        assert_eq!(tokens.match_of(&reader.stems("refund")), 1.0);
        assert_eq!(tokens.match_of(&reader.stems("price")), 0.0);
    }
}
