//! The words that rules are made of.
//!
//! `lexicon.txt` lists under each idea (`= override`) the words for it in all languages, apart by commas. A word stands for
//! itself, `word*` for every word that begins so. Words of scripts without spaces are found anywhere. Lines that begin with
//! `rot13` are written in it, so that a reader of the list need not read insults.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, MatchKind};

use crate::{
    decode::rot13,
    view::{folded, is_ideograph},
};

/// An idea, as its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Idea(pub(crate) usize);

/// A word that was found.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) idea: Idea,
    pub(crate) range: Range<usize>,
}

struct Entry {
    idea: Idea,
    open: bool,
}

pub(crate) struct Lexicon {
    names: HashMap<&'static str, Idea>,
    entries: Vec<Vec<Entry>>,
    finder: AhoCorasick,
    /// The same words without spaces, for text whose letters stood apart.
    joined: LazyLock<AhoCorasick, Box<dyn FnOnce() -> AhoCorasick + Send>>,
}

pub(crate) static LEXICON: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::parsed(include_str!("lexicon.txt")));

impl Lexicon {
    fn parsed(text: &'static str) -> Self {
        let mut names: HashMap<&'static str, Idea> = HashMap::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut patterns: Vec<String> = Vec::new();
        let mut entries: Vec<Vec<Entry>> = Vec::new();
        let mut idea = Idea(0);
        for line in text.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'))
        {
            if let Some(name) = line.strip_prefix("= ") {
                let next = names.len();
                idea = *names.entry(name).or_insert(Idea(next));
                continue;
            }
            let plain = line.strip_prefix("rot13 ").map_or_else(|| line.to_owned(), rot13);
            for word in plain.split(',').map(str::trim).filter(|it| !it.is_empty()) {
                let open = word.ends_with('*');
                let pattern = folded(word.trim_end_matches('*'));
                let place = *places.entry(pattern.clone()).or_insert_with(|| {
                    patterns.push(pattern);
                    entries.push(Vec::new());
                    entries.len() - 1
                });
                entries[place].push(Entry { idea, open });
            }
        }
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(&patterns)
            .expect("a few thousand words are not too many");
        let build: Box<dyn FnOnce() -> AhoCorasick + Send> = Box::new(move || {
            AhoCorasick::builder()
                .match_kind(MatchKind::Standard)
                .build(patterns.iter().map(|it| it.replace([' ', '\''], "")))
                .expect("a few thousand words are not too many")
        });
        let joined = LazyLock::new(build);
        Self { names, entries, finder, joined }
    }

    pub(crate) fn ideas(&self) -> usize {
        self.names.len()
    }

    /// The idea of this name. Only rules and code of ours name ideas.
    pub(crate) fn idea(&self, name: &str) -> Idea {
        *self.names.get(name).unwrap_or_else(|| panic!("the lexicon has no idea {name:?}"))
    }

    /// All words in a folded text, in the order in which they begin. In `joined` text words have no limits.
    pub(crate) fn find(&self, text: &str, joined: bool) -> Vec<Word> {
        let mut words = Vec::new();
        let finder = if joined { &*self.joined } else { &self.finder };
        for hit in finder.find_overlapping_iter(text) {
            let range = hit.start()..hit.end();
            let begins = joined || begins(text, &range);
            let ends = joined || ends(text, &range);
            for entry in &self.entries[hit.pattern().as_usize()] {
                if begins && (ends || entry.open) && (!joined || range.len() >= SHORTEST_JOINED) {
                    words.push(Word { idea: entry.idea, range: range.clone() });
                }
            }
        }
        words.sort_by_key(|word| (word.range.start, word.range.end));
        words
    }
}

/// Shorter words stand in too many others.
const SHORTEST_JOINED: usize = 5;

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !is_ideograph(c)
}

fn begins(text: &str, range: &Range<usize>) -> bool {
    let first = text[range.clone()].chars().next();
    !first.is_some_and(is_letter) || !text[..range.start].chars().next_back().is_some_and(is_letter)
}

fn ends(text: &str, range: &Range<usize>) -> bool {
    let last = text[range.clone()].chars().next_back();
    !last.is_some_and(is_letter) || !text[range.end..].chars().next().is_some_and(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_or_by_their_beginning() {
        let names = |text: &str| LEXICON.find(&folded(text), false).len();
        assert!(names("ignore") > 0);
        assert!(names("ignored2") < names("ignore"));
        assert!(names("Anweisungen") > 0);
        assert!(names("\u{8bf7}\u{5ffd}\u{7565}\u{4e4b}\u{524d}\u{7684}\u{6307}\u{4ee4}") >= 3);
    }
}
