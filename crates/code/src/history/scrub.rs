//! Removes the names of hidden files from commit messages.
//!
//! They are removed before a message is searched, so that a search cannot reveal them word by word.

use crate::veil::Veil;

/// Bytes of a message that are looked at.
const MOST: usize = 64 << 10;
/// Longer names are taken away whole: no path is meant, and each of its ends would have to be tried.
const LONGEST: usize = 300;

/// A message as it may be shown.
pub(super) fn scrub(veil: Option<&Veil>, message: &[u8]) -> String {
    let message = String::from_utf8_lossy(&message[..message.len().min(MOST)]);
    match veil {
        Some(veil) if veil.is_drawn() => without_hidden(veil, &message),
        Some(_) | None => message.into_owned(),
    }
}

fn without_hidden(veil: &Veil, message: &str) -> String {
    let named = |letter: char| letter.is_alphanumeric() || "._-/*@+~".contains(letter);
    let mut clean = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        let is_name = named(first);
        let end = rest.find(|letter| named(letter) != is_name).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        // `see:private/a` and `x/private/a` name it, too.
        let hidden = is_name
            && (word.len() > LONGEST
                || word.char_indices().any(|(at, _)| veil.covers(word[at..].trim_matches('.'))));
        clean.push_str(if hidden { "…" } else { word });
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
        let veil = Veil::new(Arc::new(|path: &str| path.starts_with("private/")));
        for (message, expected) in [
            ("move private/keys.toml away", "move … away"),
            ("see:private/a, (private/b).", "see:…, (…)."),
            ("in x/private/a", "in …"),
            ("a private matter", "a private matter"),
            ("größe\n\nprivate/ü", "größe\n\n…"),
        ] {
            assert_eq!(scrub(Some(&veil), message.as_bytes()), expected);
            assert_eq!(scrub(Some(&Veil::default()), message.as_bytes()), message);
        }
        assert_eq!(scrub(Some(&veil), "x".repeat(1_000).as_bytes()), "…");
    }
}
