//! Makes strings that match a regular expression.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Generated text beyond this proves nothing that shorter text does not.
const LONGEST: usize = 4096;

/// A string of at least so many characters that ought to match `pattern`. `vary` asks for another one.
pub(super) fn matching(pattern: &str, least: usize, vary: usize) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    // What may repeat does so as often as the length wants.
    let rounds = 0..=u32::try_from(least.min(LONGEST)).unwrap_or(u32::MAX);
    let texts = rounds.map_while(|extra| build(&hir, extra, vary));
    let mut long_enough = texts.filter(|text| text.chars().count() >= least);
    long_enough.next()
}

/// A few strings that ought to match `pattern`, shortest first. The validator has the last word.
pub(crate) fn matches(pattern: &str) -> Vec<String> {
    let Ok(hir) = regex_syntax::parse(pattern) else { return Vec::new() };
    let mut texts: Vec<String> = [0, 1, 7, 50]
        .into_iter()
        .flat_map(|extra| [0, 1, 2, 3, 4].map(|choice| build(&hir, extra, choice)))
        .flatten()
        .collect();
    texts.dedup();
    texts
}

/// One string, with `extra` rounds of whatever may repeat and the `choice`-th alternative.
fn build(hir: &Hir, extra: u32, choice: usize) -> Option<String> {
    let mut text = String::new();
    append(hir, extra, choice, &mut text).then_some(text)
}

fn append(hir: &Hir, extra: u32, choice: usize, text: &mut String) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    match hir.kind() {
        // Anchors and boundaries are left to the validator.
        HirKind::Empty | HirKind::Look(_) => true,
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(literal) => {
                text.push_str(literal);
                true
            }
            Err(_) => false,
        },
        HirKind::Class(class) => match pick(class, choice) {
            Some(letter) => {
                text.push(letter);
                true
            }
            None => false,
        },
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            let rounds = repetition.min.saturating_add(extra).min(most);
            (0..rounds).all(|_| append(&repetition.sub, extra, choice, text))
        }
        HirKind::Capture(capture) => append(&capture.sub, extra, choice, text),
        HirKind::Concat(parts) => parts.iter().all(|part| append(part, extra, choice, text)),
        HirKind::Alternation(parts) => append(&parts[choice % parts.len()], extra, choice, text),
    }
}

/// A letter of the class: readable ones first, then from each of its ranges in turn, then any plain one.
fn pick(class: &Class, choice: usize) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let has = |letter: &char| {
        class.ranges().iter().any(|range| (range.start()..=range.end()).contains(letter))
    };
    let readable = ['a', '0', 'A', '_', '-', '.', ' '].into_iter().filter(has);
    let edges = class.ranges().iter().take(8).flat_map(|range| [range.start(), range.end()]);
    let plain = ('b'..='z').chain('B'..='Z').chain('1'..='9').filter(has);
    let mut letters: Vec<char> = readable.chain(edges).collect();
    if choice >= letters.len() {
        letters.extend(plain);
    }
    letters.get(choice % letters.len().max(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn what_is_built_matches() {
        for pattern in [r"^\d+\.\d+$", "^env_[a-f0-9]{16}$", "^(ab|c)*d?$", "[^a-z]+", "^$", "é+"]
        {
            let judge = regex::Regex::new(pattern).expect("the test's patterns are regular");
            let texts = matches(pattern);
            assert!(!texts.is_empty(), "{pattern}");
            for text in texts {
                assert!(judge.is_match(&text), "{pattern} does not match {text:?}");
            }
        }
    }

    #[test]
    fn endless_repetition_is_given_up() {
        assert!(matches("^(((a{1000}){1000}){1000}){1000}$").is_empty());
    }
}
