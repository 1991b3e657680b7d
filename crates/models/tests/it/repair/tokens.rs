//! JSON that is known to be right, taken apart so that it can be damaged at every place.

use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One of `{}[],:`.
    Mark,
    Key,
    Text,
    Number,
    /// `true`, `false`, `null`.
    Word,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b'{' | b'}' | b'[' | b']' | b',' | b':' => {
                at += 1;
                Kind::Mark
            }
            b'"' => {
                at += 1;
                while bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
                if text[at..].trim_start().starts_with(':') { Kind::Key } else { Kind::Text }
            }
            b' ' | b'\n' | b'\r' | b'\t' => {
                at += 1;
                continue;
            }
            first => {
                let ends = |byte: &u8| b",:[]{} \n\r\t".contains(byte);
                at += bytes[at..].iter().position(ends).unwrap_or(bytes.len() - at);
                if first.is_ascii_alphabetic() { Kind::Word } else { Kind::Number }
            }
        };
        found.push(Token { kind, range: start..at });
    }
    found
}

/// The text with some of its ranges replaced; in order.
pub(super) fn with(text: &str, changes: &[(Range<usize>, String)]) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for (range, change) in changes {
        out.push_str(&text[at..range.start]);
        out.push_str(change);
        at = range.end;
    }
    out + &text[at..]
}
