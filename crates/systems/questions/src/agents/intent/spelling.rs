//! Corrects words that occur nowhere and are one letter away from one that does.

use std::collections::HashMap;

use consign_code::Query;
use consign_engine::Fault;

use super::{
    super::{super::tools::View, language, perception, topic::Topic, words},
    ground::{Ground, ok},
};

/// Words that are looked up, at most; each takes a search of its own.
const LOOKED_UP: usize = 3;
/// Shorter words are not corrected: one letter makes another word of them.
const SHORTEST: usize = 4;
/// In shorter words than this, no letter is replaced: mining is not a misspelled mixing.
const LONG: usize = 8;
const LONGEST: usize = 30;
/// Lines that are looked at for one word.
const LINES: usize = 200;

/// Corrects misspelled words. Returns whether there were any.
pub(super) fn settle(view: &View, topic: &mut Topic, ground: &Ground) -> Result<bool, Fault> {
    let mut changed = false;
    for word in ground.absent(topic).into_iter().take(LOOKED_UP) {
        if let Some(meant) = meant(view, &word)? {
            topic.respell(&word, &meant);
            changed = true;
        }
    }
    Ok(changed)
}

fn meant(view: &View, word: &str) -> Result<Option<String>, Fault> {
    let letters = word.chars().all(|letter| letter.is_ascii_lowercase());
    if !letters || !(SHORTEST..=LONGEST).contains(&word.len()) {
        return Ok(None);
    }
    if let Some(small) = asking_word(word) {
        return Ok(Some(small));
    }
    if word.len() <= SHORTEST || !view.is_free("code_search") {
        return Ok(None);
    }
    let mut query = Query::regex(pattern(word));
    query.case_sensitive = false;
    query.limit = LINES;
    let Some(found) = ok(view.search(&query))? else { return Ok(None) };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for hit in found.items {
        for part in words::parts(&hit.text).into_iter().filter(|part| is_near(part, word)) {
            *counts.entry(part).or_default() += 1;
        }
    }
    let best = counts.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
    Ok(best.map(|(part, _)| part))
}

/// `wher` asks where, whatever the code says.
fn asking_word(word: &str) -> Option<String> {
    let asking = ["where", "which", "what", "does", "when", "work", "works", "called", "defined"];
    asking.into_iter().find(|known| is_near(known, word)).map(str::to_owned)
}

/// Any of the words that are one letter away.
fn pattern(word: &str) -> String {
    let mut ways = Vec::new();
    for at in 0..=word.len() {
        let (before, after) = word.split_at(at);
        ways.push(format!("{before}[a-z]{after}"));
        if !after.is_empty() {
            ways.push(format!("{before}[a-z]?{}", &after[1..]));
        }
        if let [first, second, rest @ ..] = after.as_bytes() {
            let rest = String::from_utf8_lossy(rest);
            ways.push(format!("{before}{}{}{rest}", char::from(*second), char::from(*first)));
        }
    }
    ways.join("|")
}

/// Whether two words differ by one letter too many, too few or wrong, or by two in the wrong order.
/// The first letter must be the same.
fn is_near(known: &str, word: &str) -> bool {
    let swapped = || {
        let mut pairs = known.bytes().zip(word.bytes()).enumerate().filter(|(_, (a, b))| a != b);
        let (first, second) = (pairs.next(), pairs.next());
        known.len() == word.len()
            && pairs.next().is_none()
            && matches!(
                (first, second),
                (Some((at, (a, b))), Some((next, (c, d)))) if next == at + 1 && a == d && b == c
            )
    };
    let replaced = known.len() == word.len() && !swapped();
    known != word
        && (!replaced || word.len() >= LONG)
        && known.as_bytes().first() == word.as_bytes().first()
        && known.is_ascii()
        && (words::distance(known, word, 1) == Some(1) || swapped())
}

/// Whether a word is not worth searching for.
pub(in super::super) fn says_nothing(word: &str) -> bool {
    language::is_small(word, "en") || perception::is_asking(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_makes_a_neighbour() {
        for (known, word, near) in [
            ("middleware", "midleware", true),
            ("caching", "cachng", true),
            ("caching", "cacihng", true),
            ("caching", "caching", false),
            ("template", "templats", true),
            ("mixing", "mining", false),
            ("matching", "caching", false),
            ("aching", "caching", false),
            ("table", "stable", false),
        ] {
            assert_eq!(is_near(known, word), near, "{known} {word}");
            assert!(!near || regex_matches(word, known), "{known} {word}");
        }
        assert_eq!(asking_word("wher").as_deref(), Some("where"));
        assert_eq!(asking_word("cache"), None);
    }

    fn regex_matches(word: &str, known: &str) -> bool {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.txt"), known).unwrap();
        let repository = consign_code::Repository::open(folder.path()).unwrap();
        let found = repository.search(&Query::regex(pattern(word))).unwrap();
        !found.items.is_empty()
    }
}
