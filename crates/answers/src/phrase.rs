//! Words as they stand in a text, for the rules that look at their order.

use std::ops::Range;

/// A word, as it is compared, with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) normal: String,
    pub(crate) range: Range<usize>,
    /// Whether it begins with a capital letter.
    pub(crate) capital: bool,
}

/// The words of a text, each once, in order. A name such as `v1.2` is one word.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    consign_knowledge::words(text, |word, range| {
        // Parts of a name follow the name.
        if words.last().is_some_and(|last| range.start < last.range.end) {
            return;
        }
        let said = text.get(range.clone()).unwrap_or_default();
        let capital = said.chars().next().is_some_and(char::is_uppercase);
        words.push(Word { normal: word.to_owned(), range, capital });
    });
    words
}

/// Whether these words begin with this phrase; how many words it has.
pub(crate) fn begins(words: &[Word], phrase: &str) -> Option<usize> {
    let mut count = 0;
    for part in phrase.split(' ') {
        if words.get(count)?.normal != part.trim_end_matches('.') {
            return None;
        }
        count += 1;
    }
    Some(count)
}

/// The longest of these phrases that the words begin with; how many words it has.
pub(crate) fn begins_any(words: &[Word], phrases: &[&str]) -> Option<usize> {
    phrases.iter().filter_map(|phrase| begins(words, phrase)).max()
}

/// Where one of these phrases stands first: the place of its first word, and how many it has.
pub(crate) fn find_any(words: &[Word], phrases: &[&str]) -> Option<(usize, usize)> {
    (0..words.len()).find_map(|at| Some((at, begins_any(&words[at..], phrases)?)))
}

/// The text of these words, without what stands around them.
pub(crate) fn text_of<'a>(text: &'a str, words: &[Word]) -> &'a str {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => {
            text.get(first.range.start..last.range.end).unwrap_or_default()
        }
        (_, _) => "",
    }
}

/// A text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
