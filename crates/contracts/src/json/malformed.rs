//! Why bytes cannot be read as JSON, and where.

use std::fmt;

/// Bytes that were refused before any contract looked at them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Malformed {
    pub reason: Reason,
    /// The byte where reading stopped.
    pub offset: usize,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
}

/// What was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is nothing but white space.
    Empty,
    /// The grammar wanted something else here.
    Syntax(&'static str),
    /// The input ends inside a value.
    Unfinished(&'static str),
    /// An object has this key twice, counting escapes as what they stand for.
    DuplicateKey(String),
    InvalidUtf8 {
        /// The input ends inside a character: it may only have been cut off.
        cut_off: bool,
    },
    TooDeep {
        limit: usize,
    },
    TooLarge {
        limit: usize,
    },
}

impl Reason {
    /// The reason as a word for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Reason::Empty => "empty",
            Reason::Syntax(_) => "syntax",
            Reason::Unfinished(_) => "unfinished",
            Reason::DuplicateKey(_) => "repeated-key",
            Reason::InvalidUtf8 { .. } => "invalid-utf8",
            Reason::TooDeep { .. } => "too-deep",
            Reason::TooLarge { .. } => "too-large",
        }
    }
}

impl Malformed {
    /// Finds line and column of `offset` in `bytes`.
    pub(super) fn at(bytes: &[u8], offset: usize, reason: Reason) -> Self {
        let before = &bytes[..offset.min(bytes.len())];
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        // Continuation bytes do not start a character.
        let column = before[line_start..].iter().filter(|byte| (**byte & 0xC0) != 0x80).count() + 1;
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Self { reason, offset, line, column }
    }

    /// The error for a document that is longer than `limit` bytes.
    #[must_use]
    pub fn too_large(limit: usize) -> Self {
        Self { reason: Reason::TooLarge { limit }, offset: limit, line: 0, column: 0 }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::Empty | Reason::TooLarge { .. } => self.reason.fmt(f),
            Reason::Syntax(_)
            | Reason::Unfinished(_)
            | Reason::DuplicateKey(_)
            | Reason::InvalidUtf8 { .. }
            | Reason::TooDeep { .. } => {
                write!(f, "{} at line {}, column {}", self.reason, self.line, self.column)
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Empty => f.write_str("the document is empty"),
            Reason::Syntax(why) => write!(f, "not JSON: {why}"),
            Reason::Unfinished(inside) => write!(f, "not JSON: the document ends inside {inside}"),
            Reason::DuplicateKey(key) => {
                write!(f, "duplicate key {}", crate::json::quoted(&shortened(key)))
            }
            Reason::InvalidUtf8 { cut_off: false } => f.write_str("invalid UTF-8"),
            Reason::InvalidUtf8 { cut_off: true } => {
                f.write_str("invalid UTF-8: the document ends inside a character")
            }
            Reason::TooDeep { limit } => {
                write!(f, "the document is nested deeper than {limit} levels")
            }
            Reason::TooLarge { limit } => {
                write!(f, "the document is larger than the limit of {limit} bytes")
            }
        }
    }
}

/// A hostile key may be megabytes long; an error message may not.
fn shortened(key: &str) -> String {
    match key.char_indices().nth(80) {
        Some((cut, _)) => format!("{}…", &key[..cut]),
        None => key.to_owned(),
    }
}
