//! Removes the key from answers, in case a server repeats it: answers are kept and shown.

use super::Target;
use crate::chat::Answer;

/// A secret that is shorter than this many bytes is not taken out of an answer: what is shorter is found
/// in honest answers too. Servers nearby are given any word for a key, and
/// models speak of them; no provider's own key is as short.
pub const SHORTEST_IN_ANSWERS: usize = 16;

/// The text that replaces the key.
const HIDDEN: &str = "***";

/// The key that must not be in an answer.
pub(super) fn key_of(target: &Target) -> Option<&str> {
    let key = target.key.as_ref().map(|key| key.reveal().trim());
    key.filter(|key| key.len() >= SHORTEST_IN_ANSWERS)
}

/// The answer with the key replaced.
pub(super) fn cleaned(mut answer: Answer, target: &Target) -> Answer {
    let Some(key) = key_of(target) else { return answer };
    let clean = |text: &mut String| {
        if text.contains(key) {
            *text = text.replace(key, HIDDEN);
        }
    };
    clean(&mut answer.text);
    clean(&mut answer.model);
    for call in &mut answer.tool_calls {
        clean(&mut call.id);
        clean(&mut call.name);
        clean(&mut call.arguments);
    }
    answer
}

/// Replaces the key in text as it is streamed. It holds back only what could be the beginning of
/// the key, so all other text goes on at once and unchanged.
pub(super) struct Deltas<'a> {
    key: Option<&'a str>,
    /// The end of the text so far, as far as the key begins with it.
    held: String,
}

impl<'a> Deltas<'a> {
    pub(super) fn new(target: &'a Target) -> Self {
        Self { key: key_of(target), held: String::new() }
    }

    pub(super) fn pass(&mut self, piece: &str, on_delta: &mut (dyn FnMut(&str) + Send)) {
        let Some(key) = self.key else { return on_delta(piece) };
        if self.held.is_empty() && !piece.contains(key) && beginning(piece, key) == 0 {
            return on_delta(piece);
        }
        self.held.push_str(piece);
        let (mut text, mut rest) = (String::new(), self.held.as_str());
        while let Some((before, after)) = rest.split_once(key) {
            text.push_str(before);
            text.push_str(HIDDEN);
            rest = after;
        }
        let (sure, unsure) = rest.split_at(rest.len() - beginning(rest, key));
        text.push_str(sure);
        self.held = unsure.to_owned();
        if !text.is_empty() {
            on_delta(&text);
        }
    }

    /// Passes on the text that was held back. Call it only when the answer is complete: in one that
    /// ended early, the rest may be most of the key.
    pub(super) fn finish(self, on_delta: &mut (dyn FnMut(&str) + Send)) {
        if !self.held.is_empty() {
            on_delta(&self.held);
        }
    }
}

/// The length of the longest end of a text that is a proper beginning of the key.
fn beginning(text: &str, key: &str) -> usize {
    let most = text.len().min(key.len() - 1);
    let fits = |length: &usize| key.get(..*length).is_some_and(|start| text.ends_with(start));
    (1..=most).rev().find(fits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_told_wherever_a_stream_is_cut() {
        let check = |key: &str, text: &str| {
            let expected = text.replace(key, HIDDEN);
            let ends: Vec<usize> =
                (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            for (at, &first) in ends.iter().enumerate() {
                for &second in &ends[at..] {
                    let mut deltas = Deltas { key: Some(key), held: String::new() };
                    let mut heard = String::new();
                    for piece in [&text[..first], &text[first..second], &text[second..]] {
                        deltas.pass(piece, &mut |delta| heard.push_str(delta));
                        assert!(deltas.held.len() < key.len(), "{:?}", deltas.held);
                        assert!(expected.starts_with(&heard), "{heard:?} of {expected:?}");
                    }
                    deltas.finish(&mut |delta| heard.push_str(delta));
                    assert_eq!(heard, expected, "cut at {first} and {second}");
                }
            }
        };
        check("sk-0123456789abcdef", "é sk-sk-0123456789abcdefsk-0123456789abcdef, sk-012");
        check("ababababababababac", "é abababababababababac abababababababab");
    }

    #[test]
    fn what_has_nothing_of_the_key_goes_on_at_once_and_as_it_is() {
        let check = |key: Option<&str>, pieces: &[&str], told: &[&str]| {
            let mut deltas = Deltas { key, held: String::new() };
            let mut heard = Vec::new();
            for piece in pieces {
                deltas.pass(piece, &mut |delta| heard.push(delta.to_owned()));
            }
            assert_eq!(heard, told);
        };
        let key = Some("sk-0123456789abcdef");
        check(key, &["Two", "", " of sk", "ies."], &["Two", "", " of ", "skies."]);
        check(None, &["a sk-0123456789abcdef"], &["a sk-0123456789abcdef"]);
    }
}
