//! What a follow-up leaves out.

use consign_knowledge::Language;

use crate::{
    lists::Lists,
    phrase::{self, Word},
    reader::{content_words, is_content},
};

/// A question that can be understood by itself.
pub(super) struct Resolved {
    pub(super) text: String,
    pub(super) carried: Vec<String>,
}

/// The most words of its own with which a pronoun still points back.
const FEW: usize = 4;

pub(super) fn resolve(
    part: &str,
    before: Option<&str>,
    same_message: bool,
    lists: &Lists,
    language: Language,
) -> Resolved {
    let text = phrase::one_line(part);
    let alone = || Resolved { text: text.clone(), carried: Vec::new() };
    let Some(before) = before else { return alone() };
    let words = phrase::words(&text);
    let follows = phrase::begins_any(&words, lists.follow);
    let own = content_words(&text, lists);
    let asks = |word: &Word| !is_content(&word.normal, lists);
    let has_pronoun = words.iter().any(|word| lists.pronouns.contains(&word.normal.as_str()));
    let is_short = own.len() <= 2 && words.len() <= 4;
    let needs = match follows {
        Some(_) => own.len() <= FEW,
        None => {
            own.len() <= usize::from(same_message)
                || (has_pronoun && own.len() <= FEW)
                || (is_short && begins_small(&words, lists))
        }
    };
    if !needs {
        return alone();
    }
    let earlier = phrase::words(before);
    let replaced = replaced(&words[follows.unwrap_or(0)..], &earlier, lists, language);
    let keeps = |at: usize, word: &Word| {
        !replaced.contains(&at) && !asks(word) && !own.contains(&word.normal)
    };
    let kept = earlier.iter().enumerate().filter(|(at, word)| keeps(*at, word));
    let carried: Vec<&Word> = kept.map(|(_, word)| word).collect();
    if carried.is_empty() {
        return alone();
    }
    let shown: Vec<&str> =
        carried.iter().filter_map(|word| before.get(word.range.clone())).collect();
    let own_text =
        text[words.get(follows.unwrap_or(0)).map_or(0, |word| word.range.start)..].trim();
    let own_text = if own_text.is_empty() { text.as_str() } else { own_text };
    let bare = own_text.trim_end_matches(['?', ' ', '.', '!']);
    Resolved {
        text: format!("{bare} ({})?", shown.join(" ")),
        carried: carried.iter().map(|word| word.normal.clone()).collect(),
    }
}

/// "for managers", "in Spain": a preposition first.
fn begins_small(words: &[Word], lists: &Lists) -> bool {
    words.first().is_some_and(|word| lists.prepositions.contains(&word.normal.as_str()))
}

/// Which words of the question before are replaced by the new one: those behind the same preposition, or, where names
/// tell it (German writes all nouns large), its names by a new name.
fn replaced(new: &[Word], earlier: &[Word], lists: &Lists, language: Language) -> Vec<usize> {
    let content = |word: &Word| is_content(&word.normal, lists);
    let preposition = new.iter().find(|word| lists.prepositions.contains(&word.normal.as_str()));
    if let Some(preposition) = preposition
        && let Some(at) = earlier.iter().rposition(|word| same(word, preposition))
    {
        let behind = earlier.iter().enumerate().skip(at + 1);
        let behind = behind.skip_while(|(_, word)| lists.articles.contains(&word.normal.as_str()));
        return behind.take_while(|(_, word)| content(word)).take(3).map(|(at, _)| at).collect();
    }
    let is_name = |word: &Word| word.capital && content(word);
    if language != Language::German && new.iter().any(is_name) {
        let names = earlier.iter().enumerate().skip(1).filter(|(_, word)| is_name(word));
        return names.map(|(at, _)| at).collect();
    }
    Vec::new()
}

/// The same preposition, with or without an article in it.
fn same(one: &Word, other: &Word) -> bool {
    const ALIKE: [&[&str]; 5] =
        [&["in", "im"], &["von", "vom"], &["bei", "beim"], &["zu", "zum", "zur"], &["a", "al"]];
    one.normal == other.normal
        || ALIKE
            .iter()
            .any(|all| all.contains(&one.normal.as_str()) && all.contains(&other.normal.as_str()))
}
