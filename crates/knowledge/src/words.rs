//! The words of a text, as they are compared, with the bytes that they stand for.
//!
//! Boundaries are Unicode's. A name such as `ERR_TIMEOUT` or `example.com` counts as itself and as its parts. Scripts
//! that put no spaces between words give pairs of characters, which finds them without a dictionary.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Longer words are data that somebody pasted, such as keys; they are cut here.
const LONGEST: usize = 64;

/// Calls `take` with each word, normalised, and with its bytes in `text`.
pub fn words(text: &str, mut take: impl FnMut(&str, Range<usize>)) {
    let mut run: Vec<(Range<usize>, char)> = Vec::new();
    for (at, word) in text.unicode_word_indices() {
        let range = at..at + word.len();
        if word.chars().next().is_some_and(is_unspaced) {
            // Some are cut at each character, some not at all.
            if run.last().is_some_and(|(last, _)| last.end != at) {
                pairs(&mut run, &mut take);
            }
            run.extend(
                word.char_indices().map(|(from, c)| (at + from..at + from + c.len_utf8(), c)),
            );
            continue;
        }
        pairs(&mut run, &mut take);
        spaced(word, &range, &mut take);
    }
    pairs(&mut run, &mut take);
}

fn spaced(word: &str, range: &Range<usize>, take: &mut impl FnMut(&str, Range<usize>)) {
    let whole = normal(word);
    if whole.is_empty() {
        return;
    }
    take(&whole, range.clone());
    let joined = |c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’');
    if !word.contains(joined) {
        return;
    }
    // A number with a point or a comma is one thing.
    if word.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',') {
        return;
    }
    let mut from = range.start;
    for part in word.split(joined) {
        let next = from + part.len();
        let normal = normal(part);
        if !normal.is_empty() {
            take(&normal, from..next);
        }
        from = next + word[next - range.start..].chars().next().map_or(0, char::len_utf8);
    }
}

fn pairs(run: &mut Vec<(Range<usize>, char)>, take: &mut impl FnMut(&str, Range<usize>)) {
    match run.as_slice() {
        [] => {}
        [(range, only)] => take(&normal(&only.to_string()), range.clone()),
        many => {
            for pair in many.windows(2) {
                let text: String = pair.iter().map(|(_, c)| *c).collect();
                take(&normal(&text), pair[0].0.start..pair[1].0.end);
            }
        }
    }
    run.clear();
}

/// Han, kana, Thai, Lao, Khmer and Burmese. Korean has spaces.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x31f0..=0x31ff
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0xff66..=0xff9d | 0x20000..=0x3ffff)
}

/// One spelling for what looks the same.
fn normal(word: &str) -> String {
    if word.is_ascii() {
        let cut = word.len().min(LONGEST);
        return word[..cut].to_ascii_lowercase();
    }
    let lower = word.nfkc().flat_map(char::to_lowercase);
    // A capital dotted I leaves its dot behind.
    let plain = lower.filter(|c| *c != '\u{307}').map(|c| if c == '’' { '\'' } else { c });
    plain.take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, |word, range| {
            assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
            found.push(word.to_owned());
        });
        found
    }

    #[test]
    fn words_are_told_apart_as_unicode_does() {
        let check = |text: &str, expected: &[&str]| assert_eq!(all(text), expected, "{text}");
        check("The Cat, sat!", &["the", "cat", "sat"]);
        check(
            "ERR_TIMEOUT is at example.com",
            &["err_timeout", "err", "timeout", "is", "at", "example.com", "example", "com"],
        );
        check("1,234.50 and v1.2", &["1,234.50", "and", "v1.2", "v1", "2"]);
        check("Ärger im ＣＡＦÉ", &["ärger", "im", "café"]);
        check("don’t", &["don't"]);
        check("İstanbul", &["istanbul"]);
        check("退款天 内", &["退款", "款天", "内"]);
        check("東京タワー", &["東京", "京タ", "タワ", "ワー"]);
        check("", &[]);
        check("...", &[]);
    }

    #[test]
    fn the_bytes_of_a_word_are_those_of_the_text() {
        let text = "Zoë: ERR_TIMEOUT 東京都";
        let mut found = Vec::new();
        words(text, |_, range| found.push(&text[range]));
        assert_eq!(found, ["Zoë", "ERR_TIMEOUT", "ERR", "TIMEOUT", "東京", "京都"]);
    }

    #[test]
    fn a_long_word_is_cut() {
        assert_eq!(all(&"x".repeat(10_000)), ["x".repeat(LONGEST)]);
        assert_eq!(all(&"ä".repeat(10_000)), ["ä".repeat(LONGEST)]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_words_within_it(text in "\\PC{0,80}") {
            words(&text, |word, range| {
                assert!(!word.is_empty() && text.get(range).is_some());
            });
        }
    }
}
