//! Where a text may be cut: after sentences, lines and words.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::{document::Breaks, table};

/// The bytes of the first rows of a table, up to and with the rule below them.
pub(super) fn heading_rows(text: &str) -> Option<usize> {
    let mut end = 0;
    for line in text.split_inclusive('\n').take(2) {
        end += line.len();
        if table::is_rule(line) {
            return Some(text[..end].trim_end().len());
        }
    }
    None
}

/// The parts of a block that a chunk does not end inside, without the white space around them. The first `whole` bytes
/// are one part: the heading of a table and the rule below it.
pub(super) fn pieces(text: &str, breaks: Breaks, whole: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut add = |from: usize, to: usize| {
        let part = &text[from..to];
        let start = from + (part.len() - part.trim_start().len());
        let end = from + part.trim_end().len();
        if start < end {
            pieces.push(start..end);
        }
    };
    if breaks == Breaks::Lines {
        let mut from = 0;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            at += line.len();
            if at >= whole {
                add(from, at);
                from = at;
            }
        }
        add(from, text.len());
        return pieces;
    }
    // A line break ends a sentence for the rules of Unicode. In running text it is a space.
    let flat;
    let plain = if text.contains(['\n', '\r']) {
        flat = text.replace(['\n', '\r'], " ");
        flat.as_str()
    } else {
        text
    };
    for (from, sentence) in plain.split_sentence_bound_indices() {
        add(from, from + sentence.len());
    }
    pieces
}

/// A block as one part, without the white space around it.
pub(super) fn whole(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    let end = text.trim_end().len();
    (start < end).then_some(start..end)
}

/// A part has at most so many bytes for each token. That is far more than text has, and keeps the work in proportion where
/// counting would go over megabytes for each part.
const BYTES_OF_A_TOKEN: usize = 64;

/// Cuts a text at words into parts of at most `most` tokens. A word that is longer is cut at characters.
pub(super) fn words(text: &str, most: usize, count: &dyn Fn(&str) -> usize) -> Vec<Range<usize>> {
    let mut bounds: Vec<usize> = text.split_word_bound_indices().map(|(at, _)| at).collect();
    bounds.push(text.len());
    let fits = |from: usize, to: usize| {
        to - from <= most.saturating_mul(BYTES_OF_A_TOKEN) && count(&text[from..to]) <= most
    };
    let mut parts = Vec::new();
    let mut from = 0;
    while from < text.len() {
        let after = bounds.partition_point(|bound| *bound <= from);
        let candidates = bounds.get(after..).unwrap_or_default();
        let fitting = fitting(candidates, |bound| fits(from, bound));
        let to = if fitting > 0 {
            candidates[fitting - 1]
        } else {
            // One word that is too long.
            let end = candidates.first().copied().unwrap_or(text.len());
            in_word(&text[from..end], |bytes| fits(from, from + bytes)) + from
        };
        let part = &text[from..to];
        let start = from + (part.len() - part.trim_start().len());
        let end = from + part.trim_end().len();
        if start < end {
            parts.push(start..end);
        }
        from = to;
    }
    parts
}

/// How much of a word fits, in whole characters and at least one of them. It looks at no more than twice that much.
fn in_word(word: &str, fits: impl Fn(usize) -> bool) -> usize {
    let mut ends = Vec::new();
    for (_, character) in word.grapheme_indices(true) {
        let end = ends.last().copied().unwrap_or_default() + character.len();
        ends.push(end);
        if ends.len().is_power_of_two() && !fits(end) {
            break;
        }
    }
    let fitting = fitting(&ends, fits);
    ends.get(fitting.max(1) - 1).copied().unwrap_or(word.len())
}

/// How many of the candidates fit: doubling, then halving, so that long texts are not counted again and again.
fn fitting(candidates: &[usize], fits: impl Fn(usize) -> bool) -> usize {
    let mut high = 1;
    while high <= candidates.len() && fits(candidates[high - 1]) {
        high *= 2;
    }
    let low = high / 2;
    let end = high.min(candidates.len() + 1).max(low + 1) - 1;
    low + candidates.get(low..end).unwrap_or_default().partition_point(|bound| fits(*bound))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn said(text: &str, breaks: Breaks, whole: usize) -> Vec<&str> {
        pieces(text, breaks, whole).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn running_text_is_cut_after_sentences() {
        let text = "It rained. Then, at 3.14 p.m., it\nstopped! \"Really?\" he said.";
        let expected =
            ["It rained.", "Then, at 3.14 p.m., it\nstopped!", "\"Really?\"", "he said."];
        assert_eq!(said(text, Breaks::Sentences, 0), expected);
    }

    #[test]
    fn a_table_is_cut_after_rows_and_keeps_its_heading_together() {
        let text = "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |";
        let whole = heading_rows(text).unwrap();
        let expected = ["| a | b |\n| --- | --- |", "| 1 | 2 |", "| 3 | 4 |"];
        assert_eq!(said(text, Breaks::Lines, whole), expected);
    }

    #[test]
    fn long_words_are_cut_at_characters() {
        let count = |text: &str| text.chars().count();
        let text = "ab cdé".to_owned() + &"x".repeat(25);
        let parts: Vec<_> = words(&text, 10, &count).into_iter().map(|span| &text[span]).collect();
        assert_eq!(parts, ["ab", "cdéxxxxxxx", "xxxxxxxxxx", "xxxxxxxx"]);
    }

    #[test]
    fn the_work_is_in_proportion_to_the_text() {
        for unit in ["x", "東", "xy ", "   \u{3000}"] {
            let text = unit.repeat((1 << 20) / unit.len());
            let counted = Cell::new(0);
            let count = |text: &str| {
                counted.set(counted.get() + text.len());
                text.chars().filter(|c| !c.is_whitespace()).count() / 4
            };
            let parts = words(&text, 100, &count);
            assert!(parts.iter().all(|part| text[part.clone()].chars().count() <= 100 * 64));
            assert!(counted.get() <= 64 * text.len(), "{unit}: {} bytes", counted.get());
        }
    }

    #[test]
    fn as_many_fit_as_fit() {
        for all in 0..40 {
            let candidates: Vec<usize> = (0..all).collect();
            for most in 0..45 {
                assert_eq!(fitting(&candidates, |bound| bound < most), most.min(all));
            }
        }
    }
}
