//! Whether a line says of one thing what its source says of another.
//!
//! Two rules, both of which need clear evidence. Where a source has several clauses or rows with numbers, a number and the
//! words that only one of them has must be from the same one. Where a source and a line have the same two names around
//! the same words, in the other order, and neither is in the passive voice alone, they are swapped.

use std::collections::HashSet;

use super::support::Evidence;
use crate::{facts::Facts, lists::Lists, phrase, reader::Reader};

pub(super) fn is_swapped(
    text: &str,
    own: &Facts,
    evidence: &[Evidence],
    reader: &Reader,
    lists: &Lists,
) -> bool {
    let all: Vec<&str> =
        evidence.iter().flat_map(|one| one.sentences.iter().map(String::as_str)).collect();
    numbers_are_of_others(text, own, &all, reader)
        || all.iter().any(|sentence| names_are_swapped(text, own, sentence, reader, lists))
}

/// The parts of a sentence that can say different things.
pub(super) fn clauses(sentence: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = Vec::new();
    let mut from = 0;
    let bytes = sentence.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = sentence.get(at..).unwrap_or_default();
        let found = SEPARATORS.iter().find(|separator| rest.starts_with(**separator));
        match found {
            Some(separator) => {
                parts.push(&sentence[from..at]);
                at += separator.len();
                from = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    parts.push(&sentence[from..]);
    parts.retain(|part| part.chars().any(char::is_alphanumeric));
    parts
}

const SEPARATORS: [&str; 13] = [
    ", ",
    "; ",
    " and ",
    " und ",
    " y ",
    " et ",
    " while ",
    " but ",
    " aber ",
    " pero ",
    " mais ",
    " während ",
    " mientras ",
];

fn numbers_are_of_others(text: &str, own: &Facts, sentences: &[&str], reader: &Reader) -> bool {
    // Clauses that have numbers, each with the words that it has, and words that may belong to several.
    let mut groups: Vec<(Facts, HashSet<String>)> = Vec::new();
    let mut shared: HashSet<String> = HashSet::new();
    let several = sentences.len() > 1;
    for sentence in sentences {
        let parts = if several { vec![*sentence] } else { clauses(sentence) };
        for part in parts {
            let facts = Facts::of(part);
            let stems: HashSet<String> =
                reader.read(part).stems().into_iter().map(str::to_owned).collect();
            if facts.has_number() { groups.push((facts, stems)) } else { shared.extend(stems) }
        }
    }
    if groups.len() < 2 {
        return false;
    }
    for clause in clauses(text) {
        let facts = Facts::of(clause);
        let [number] = facts.numbers.as_slice() else { continue };
        if own.numbers.len() != 1 && clauses(text).len() != own.numbers.len() || number.is_weak {
            continue;
        }
        let has: Vec<bool> = groups.iter().map(|(facts, _)| facts.has(number)).collect();
        if !has.contains(&true) || has.iter().all(|has| *has) {
            continue;
        }
        let tokens = reader.read(clause);
        let distinct = |at: usize| {
            tokens
                .all
                .iter()
                .filter(|token| !token.word.starts_with(|c: char| c.is_ascii_digit()))
                .any(|token| {
                    let with = |stems: &HashSet<String>| {
                        token.stems.iter().any(|stem| stems.contains(stem))
                    };
                    with(&groups[at].1)
                        && !with(&shared)
                        && groups
                            .iter()
                            .enumerate()
                            .all(|(other, (_, stems))| other == at || !with(stems))
                })
        };
        let right = (0..groups.len()).any(|at| has[at] && distinct(at));
        let wrong = (0..groups.len()).any(|at| !has[at] && distinct(at));
        if wrong && !right {
            return true;
        }
    }
    false
}

fn names_are_swapped(
    text: &str,
    own: &Facts,
    sentence: &str,
    reader: &Reader,
    lists: &Lists,
) -> bool {
    let source = phrase::words(sentence);
    let place = |word: &str| source.iter().position(|other| other.normal == word);
    let answer = phrase::words(text);
    // Names at the beginning of a sentence are told by the source.
    let names: Vec<(usize, &phrase::Word)> = answer
        .iter()
        .enumerate()
        .filter(|(at, word)| {
            word.capital
                && (own.names.iter().any(|name| name.range == word.range) || *at == 0)
                && crate::reader::is_content(&word.normal, lists)
        })
        .collect();
    let passives = |words: &[phrase::Word]| {
        words.iter().filter(|word| lists.passive.contains(&word.normal.as_str())).count()
    };
    if passives(&answer) != passives(&source) {
        return false;
    }
    // The words between and around must be the same for the most part.
    let (tokens, said) = (reader.read(text), reader.read(sentence));
    let stems = tokens.stems();
    let both = stems.iter().filter(|stem| said.has(stem)).count();
    if both * 10 < stems.len() * 8 {
        return false;
    }
    names.windows(2).any(|pair| {
        let [(at, first), (to, second)] = pair else { return false };
        let (Some(a), Some(b)) = (place(&first.normal), place(&second.normal)) else {
            return false;
        };
        let is_list = |words: &[phrase::Word]| {
            words.iter().all(|word| {
                lists.and.contains(&word.normal.as_str())
                    || word.capital
                    || lists.articles.contains(&word.normal.as_str())
                    || word.normal == "or"
            })
        };
        let is_capital = |at: usize| source.get(at).is_some_and(|word| word.capital);
        // "Maria Lopez" is one name, and so is "Lopez, Maria".
        let apart = to - at > 1 && b + 1 < a;
        apart
            && is_capital(a)
            && is_capital(b)
            && !is_list(source.get(b + 1..a).unwrap_or_default())
            && !is_list(answer.get(at + 1..*to).unwrap_or_default())
    })
}
