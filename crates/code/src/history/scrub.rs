//! Removes the names of hidden files from commit messages.
//!
//! They are removed before a message is searched, so that a search cannot reveal them word by word.

use crate::hidden_paths::HiddenPaths;

/// Bytes of a message that are looked at.
const MOST: usize = 64 << 10;
/// Longer names are taken away whole: no path is meant, and each of its ends would have to be tried.
const LONGEST: usize = 300;

/// A message as it may be shown.
pub(super) fn scrub(hidden: Option<&HiddenPaths>, message: &[u8]) -> String {
    let message = String::from_utf8_lossy(&message[..message.len().min(MOST)]);
    match hidden {
        Some(hidden) if hidden.has_rule() => without_hidden(hidden, &message),
        Some(_) | None => message.into_owned(),
    }
}

fn without_hidden(hidden: &HiddenPaths, message: &str) -> String {
    let named = |letter: char| letter.is_alphanumeric() || "._-/*@+~".contains(letter);
    let mut clean = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        let is_name = named(first);
        let end = rest.find(|letter| named(letter) != is_name).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        // `see:private/a` and `x/private/a` name it, too.
        let is_hidden = is_name
            && (word.len() > LONGEST
                || word.char_indices().any(|(at, _)| hidden.hides(word[at..].trim_matches('.'))));
        clean.push_str(if is_hidden { "…" } else { word });
        rest = after;
    }
    clean
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn names_of_what_is_hidden_are_taken_away() {
        let hidden = HiddenPaths::new(Arc::new(|path: &str| path.starts_with("private/")));
        for (message, expected) in [
            ("move private/keys.toml away", "move … away"),
            ("see:private/a, (private/b).", "see:…, (…)."),
            ("in x/private/a", "in …"),
            ("a private matter", "a private matter"),
            ("größe\n\nprivate/ü", "größe\n\n…"),
        ] {
            assert_eq!(scrub(Some(&hidden), message.as_bytes()), expected);
            assert_eq!(scrub(Some(&HiddenPaths::default()), message.as_bytes()), message);
        }
        assert_eq!(scrub(Some(&hidden), "x".repeat(1_000).as_bytes()), "…");
    }
}
