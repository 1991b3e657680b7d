//! The sides of a comparison.

use crate::{
    lists::{self, Lists},
    phrase::{self, Word},
    reader::is_content,
};

/// A side, as a question of its own.
pub(super) struct Side {
    pub(super) name: String,
    pub(super) text: String,
    /// Words that it shares with the other sides.
    pub(super) shared: Vec<String>,
}

/// The sides of a comparison, or nothing.
pub(super) fn sides(message: &str, before: Option<&str>) -> Vec<Side> {
    let language = lists::language_of(message);
    let lists = lists::of(language);
    let words = phrase::words(message);
    if let Some((at, count)) = phrase::find_any(&words, lists.versus) {
        let left = after_last(&words[..at], lists.compare);
        return made(message, left, &words[at + count..], "", lists);
    }
    let Some((at, _)) = phrase::find_any(&words, lists.compare) else {
        return choice(message, &words, lists);
    };
    let between = phrase::find_any(&words, lists.between);
    if let Some((from, count)) = between {
        // "the difference in price between A and B", "between A and B in price"
        let shared_before: Vec<&Word> =
            words[at + 1..from.max(at + 1)].iter().filter(|word| !is_plain(word, lists)).collect();
        let shared = shared_before.iter().map(|word| &message[word.range.clone()]);
        let shared: Vec<&str> = shared.collect();
        let behind = &words[from + count..];
        return match split_and(behind, lists) {
            Some((left, right)) => made(message, left, right, &shared.join(" "), lists),
            None => Vec::new(),
        };
    }
    // "compare A and B", "compare A with B", "how do A and B differ"
    let behind = &words[at + 1..];
    let to: &[&str] = &["with", "to", "mit", "con", "avec", "à", "against"];
    let split = |words: &'_ [Word]| -> Option<usize> {
        words.iter().rposition(|word| to.contains(&word.normal.as_str()))
    };
    if let Some(middle) = split(behind)
        && middle > 0
        && split_and(behind, lists).is_none()
    {
        return made(message, &behind[..middle], &behind[middle + 1..], "", lists);
    }
    let place = if behind.is_empty() || split_and(behind, lists).is_none() {
        // Words before: "how do A and B differ in price"
        let first = words[..at].iter().position(|word| !is_asking(word, lists)).unwrap_or(at);
        let shared = behind.iter().filter(|word| !is_plain(word, lists));
        let shared: Vec<&str> = shared.map(|word| &message[word.range.clone()]).collect();
        let words = &words[first..at];
        return match split_and(words, lists) {
            Some((left, right)) => made(message, left, right, &shared.join(" "), lists),
            None => follow_up(message, behind, before, lists),
        };
    } else {
        behind
    };
    match split_and(place, lists) {
        Some((left, right)) => made(message, left, right, "", lists),
        None => Vec::new(),
    }
}

/// "Which is faster, A or B?", "A or B: which one is faster?"
fn choice(text: &str, words: &[Word], lists: &Lists) -> Vec<Side> {
    let is_or = |word: &Word| lists.or.contains(&word.normal.as_str());
    let places: Vec<usize> = (0..words.len()).filter(|at| is_or(&words[*at])).collect();
    let [at] = places.as_slice() else { return Vec::new() };
    let content = |word: &&Word| is_content(&word.normal, lists);
    // A name has a capital letter or a digit; in a choice both sides are names, or one word each.
    let name = |word: &&Word| {
        content(word) && (word.capital || word.normal.contains(|c: char| c.is_ascii_digit()))
    };
    let touches = |a: &Word, b: &Word| {
        text.get(a.range.end..b.range.start).is_some_and(|gap| gap.trim().is_empty())
    };
    let before = &words[..*at];
    let mut from = before.len();
    while from > 0
        && name(&&before[from - 1])
        && (from == before.len() || touches(&before[from - 1], &before[from]))
    {
        from -= 1;
    }
    let behind = &words[at + 1..];
    let skip =
        behind.iter().take_while(|word| lists.articles.contains(&word.normal.as_str())).count();
    let mut to = skip;
    while to < behind.len()
        && name(&&behind[to])
        && (to == skip || touches(&behind[to - 1], &behind[to]))
    {
        to += 1;
    }
    let (left, right) = (&before[from..], &behind[skip..to]);
    let asks = words.iter().any(|word| is_asking(word, lists)) || text.trim_end().ends_with('?');
    if left.is_empty() || right.is_empty() || left.len() > 4 || right.len() > 4 || !asks {
        return Vec::new();
    }
    let others = before[..from].iter().chain(&behind[to..]).filter(content);
    let shared: Vec<&Word> = others.collect();
    if shared.is_empty() {
        return Vec::new();
    }
    let common: Vec<&str> = shared.iter().filter_map(|word| text.get(word.range.clone())).collect();
    let carried: Vec<String> = shared.iter().map(|word| word.normal.clone()).collect();
    let side = |words: &[Word]| {
        let name = phrase::text_of(text, words).to_owned();
        Side { text: format!("{} {name}", common.join(" ")), name, shared: carried.clone() }
    };
    vec![side(left), side(right)]
}

/// "compare it with B": the other side is what was asked before.
fn follow_up(message: &str, behind: &[Word], before: Option<&str>, lists: &Lists) -> Vec<Side> {
    let Some(before) = before else { return Vec::new() };
    let has_pronoun = behind.iter().any(|word| lists.pronouns.contains(&word.normal.as_str()));
    let other: Vec<Word> = behind.iter().filter(|word| !is_plain(word, lists)).cloned().collect();
    if !has_pronoun || other.is_empty() {
        return Vec::new();
    }
    let name = phrase::text_of(message, &other).to_owned();
    let shared = crate::reader::content_words(before, lists);
    vec![
        Side { name: before.to_owned(), text: before.to_owned(), shared: Vec::new() },
        Side { text: format!("{} {name}", shared.join(" ")), name, shared },
    ]
}

fn after_last<'a>(words: &'a [Word], phrases: &[&str]) -> &'a [Word] {
    match phrase::find_any(words, phrases) {
        Some((at, count)) => &words[at + count..],
        None => words,
    }
}

fn split_and<'a>(words: &'a [Word], lists: &Lists) -> Option<(&'a [Word], &'a [Word])> {
    let at = words.iter().position(|word| lists.and.contains(&word.normal.as_str()))?;
    let (left, right) = (words.get(..at)?, words.get(at + 1..)?);
    (!left.is_empty() && !right.is_empty()).then_some((left, right))
}

fn is_asking(word: &Word, lists: &Lists) -> bool {
    let normal = word.normal.as_str();
    [lists.how, lists.what, lists.framing].iter().any(|list| list.contains(&normal))
        || ["do", "does", "is", "are", "unterscheiden", "sich", "se", "en"].contains(&normal)
}

fn is_plain(word: &Word, lists: &Lists) -> bool {
    let normal = word.normal.as_str();
    let known =
        [lists.prepositions, lists.articles, lists.framing, lists.what, lists.how, lists.pronouns];
    known.iter().any(|list| list.contains(&normal))
        || ["do", "does", "is", "are", "there", "sich", "se", "ist", "sind", "es", "son"]
            .contains(&normal)
}

/// Two sides. What stands before the last preposition of the left side is said of both ("the price of A and B"), and so is
/// what stands behind a preposition of the right one ("A and B in price").
fn made(text: &str, left: &[Word], right: &[Word], shared: &str, lists: &Lists) -> Vec<Side> {
    let is_preposition = |word: &Word| {
        let normal = word.normal.as_str();
        lists.prepositions.contains(&normal) && !["as", "como", "comme", "als"].contains(&normal)
    };
    let trim = |words: &mut &[Word]| {
        while let [first, rest @ ..] = *words
            && is_plain(first, lists)
        {
            *words = rest;
        }
        while let [rest @ .., last] = *words
            && is_plain(last, lists)
        {
            *words = rest;
        }
    };
    let (mut left, mut right) = (left, right);
    let mut common: Vec<&str> = Vec::new();
    if !shared.is_empty() {
        common.push(shared);
    }
    // A side that has its own property keeps it: "the price of A and the price of B".
    let right_has = right.iter().any(is_preposition);
    if let Some(at) = left.iter().rposition(is_preposition)
        && at > 0
        && at + 1 < left.len()
    {
        if !right_has {
            common.push(phrase::text_of(text, &left[..at]));
        }
        if !right_has {
            left = &left[at + 1..];
        }
    } else if let Some(at) = right.iter().position(is_preposition)
        && at > 0
        && at + 1 < right.len()
    {
        common.push(phrase::text_of(text, &right[at + 1..]));
        right = &right[..at];
    }
    trim(&mut left);
    trim(&mut right);
    if left.is_empty() || right.is_empty() {
        return Vec::new();
    }
    let common = common.join(" ");
    let shared = crate::reader::content_words(&common, lists);
    let side = |words: &[Word]| {
        let name = phrase::text_of(text, words).to_owned();
        let text = if common.is_empty() { name.clone() } else { format!("{common} {name}") };
        Side { name, text, shared: shared.clone() }
    };
    // "A, B and C"
    let mut sides: Vec<Side> = Vec::new();
    let mut from = 0;
    for at in 1..left.len() {
        let gap = text.get(left[at - 1].range.end..left[at].range.start).unwrap_or_default();
        if gap.contains(',') {
            sides.push(side(&left[from..at]));
            from = at;
        }
    }
    sides.push(side(&left[from..]));
    sides.push(side(right));
    sides
}
