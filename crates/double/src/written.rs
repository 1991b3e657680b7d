//! An answer in the format of a dialect, before it is sent.

use serde_json::Value;

/// The answer in a dialect's format.
#[derive(Debug)]
pub(super) enum Written {
    Whole(Value),
    Stream {
        content_type: &'static str,
        frames: Vec<Frame>,
        /// The error event that would end the stream early.
        error: String,
    },
}

/// A part of a stream that makes sense on its own.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) text: String,
    /// Whether it carries a piece of the answer: scripts count these.
    pub(super) chunk: bool,
}

impl Frame {
    /// A frame that is not part of the answer's text.
    pub(super) fn around(text: String) -> Self {
        Self { text, chunk: false }
    }

    pub(super) fn chunk(text: String) -> Self {
        Self { text, chunk: true }
    }
}

/// A text in so many pieces, as even as possible; none is empty.
pub(super) fn pieces(text: &str, wanted: Option<usize>) -> Vec<String> {
    /// More events than this tell a reader nothing new.
    const MOST: usize = 10_000;
    let letters: Vec<char> = text.chars().collect();
    // About what providers send: a few words at once.
    let wanted = wanted.unwrap_or(letters.len().div_ceil(16).min(64)).clamp(1, MOST);
    let wanted = wanted.min(letters.len());
    (0..wanted)
        .map(|at| {
            letters[at * letters.len() / wanted..(at + 1) * letters.len() / wanted].iter().collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_as_many_as_wanted_and_nothing_is_lost() {
        let check = |text: &str, wanted: Option<usize>, expected: &[&str]| {
            assert_eq!(pieces(text, wanted), expected);
        };
        check("abcdef", Some(3), &["ab", "cd", "ef"]);
        check("abcde", Some(2), &["ab", "cde"]);
        check("ab", Some(5), &["a", "b"]);
        check("äöü", Some(2), &["ä", "öü"]);
        check("", Some(2), &[]);
        check("abc", Some(0), &["abc"]);
        check("seventeen letters", None, &["seventee", "n letters"]);
    }
}
