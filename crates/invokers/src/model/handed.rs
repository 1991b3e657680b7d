//! What one rung of the ladder leaves for the next. It is kept in the journal.

use consign_engine::Data;
use serde::{Deserialize, Serialize};

/// The most bytes of a wrong answer that are repeated to the model.
const MOST_ANSWER: usize = 16 << 10;
/// The most bytes of errors that are told to the model.
const MOST_ERRORS: usize = 5 << 10;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Handed {
    /// The index of the model to call.
    pub(super) model: usize,
    /// Its last answer, and what was wrong with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) again: Option<Again>,
    /// Whether a model was already asked again.
    #[serde(default)]
    pub(super) asked_again: bool,
    /// The models that failed, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) left: Vec<Left>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Again {
    pub(super) answer: String,
    pub(super) errors: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Left {
    pub(super) model: String,
    pub(super) code: String,
}

impl Handed {
    pub(super) fn read(handed: Option<&Data>) -> Self {
        handed.and_then(|handed| handed.to().ok()).unwrap_or_default()
    }

    pub(super) fn first(model: usize) -> Self {
        Self { model, ..Self::default() }
    }

    /// The most tokens that asking again adds to a request: no token is less than a byte, and two
    /// messages have something around them.
    pub(super) const MOST_AGAIN: u64 = (MOST_ANSWER + MOST_ERRORS + 128) as u64;

    /// Asks the same model again, with its answer and what was wrong with it.
    pub(super) fn ask_again(&self, answer: &str, errors: &str) -> Self {
        let errors = format!(
            "Your answer was not accepted.\n\n{}\n\nAnswer again with the corrected JSON value alone: \
             no other words, no code fence.",
            cut(errors, MOST_ERRORS - 200)
        );
        let answer = cut(answer, MOST_ANSWER).to_owned();
        Self { again: Some(Again { answer, errors }), asked_again: true, ..self.clone() }
    }

    /// Goes on to the next model.
    pub(super) fn fall_back(&self, from: &str, code: &str) -> Self {
        let mut left = self.left.clone();
        left.push(Left { model: from.to_owned(), code: code.to_owned() });
        Self { model: self.model + 1, again: None, asked_again: self.asked_again, left }
    }

    /// The word for the rung that the next attempt stands on.
    pub(super) fn rung(&self) -> &'static str {
        if self.again.is_some() {
            "ask_again"
        } else if self.left.is_empty() {
            "first"
        } else {
            "fallback"
        }
    }
}

/// The beginning of a text, up to so many bytes.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_over_is_bounded_and_comes_back() {
        let handed = Handed::default().fall_back("openai/gpt-5-mini", "AI_INVALID_RESPONSE");
        let again = handed.ask_again(&"é".repeat(100_000), &"x".repeat(100_000));
        let sent = again.again.clone().unwrap();
        let bytes = sent.answer.len() + sent.errors.len();
        assert!(bytes > 16_000 && (bytes as u64) < Handed::MOST_AGAIN - 100, "{bytes}");
        assert_eq!(Handed::read(Some(&Data::of(&again))), again);
        assert_eq!(
            (handed.rung(), again.rung(), Handed::default().rung()),
            ("fallback", "ask_again", "first")
        );
        assert_eq!(Handed::read(Some(&Data::of("nonsense"))), Handed::default());
    }
}
