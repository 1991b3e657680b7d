//! Why an answer could not be read as JSON, or breaks its schema.

use std::fmt;

use consign_contracts::{
    json::{Malformed, Reason},
    schema::Verdict,
};

/// An answer that cannot be read without guessing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmendable {
    /// The answer is empty. That is a failure of the transport, not of the model's JSON, and
    /// showing the model its errors would not help.
    #[error("the answer is empty")]
    Empty,
    /// Words, and no object or array among them.
    #[error("there is no JSON value in the answer")]
    NoValue,
    /// Something in it is not JSON, and what was meant is not certain.
    #[error("{0}")]
    Malformed(Malformed),
    /// It is unclear which of them is the answer.
    #[error("there is more than one value in the answer; another begins at {0}")]
    SeveralValues(Position),
    /// It ends before its value does, and members may be missing.
    #[error("{0}")]
    CutOff(Malformed),
    /// It is JSON, or could be mended, and breaks its schema.
    #[error("{}", breached(.0))]
    Breached(Verdict),
}

impl Unmendable {
    /// A word for the journal.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Unmendable::Empty => "empty",
            Unmendable::NoValue => "no_value",
            Unmendable::Malformed(_) => "malformed",
            Unmendable::SeveralValues(_) => "several_values",
            Unmendable::CutOff(_) => "cut_off",
            Unmendable::Breached(_) => "breached",
        }
    }

    pub(super) fn syntax(text: &str, offset: usize, why: &'static str) -> Self {
        Self::Malformed(malformed(text, offset, Reason::Syntax(why)))
    }

    pub(super) fn cut_off(text: &str, inside: &'static str) -> Self {
        Self::CutOff(malformed(text, text.len(), Reason::Unfinished(inside)))
    }

    pub(super) fn several(text: &str, offset: usize) -> Self {
        Self::SeveralValues(Position::of(text, offset))
    }
}

/// A place in the original text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// In bytes.
    pub offset: usize,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
}

impl Position {
    pub(super) fn of(text: &str, offset: usize) -> Self {
        let offset = text.floor_char_boundary(offset);
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            offset,
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

pub(super) fn malformed(text: &str, offset: usize, reason: Reason) -> Malformed {
    let Position { offset, line, column } = Position::of(text, offset);
    Malformed { reason, offset, line, column }
}

fn breached(verdict: &Verdict) -> String {
    match verdict.breaches.as_slice() {
        [] => "the answer breaks its schema".to_owned(),
        [only] if !verdict.more => format!("the answer breaks its schema: {only}"),
        [first, rest @ ..] => {
            let more = if verdict.more { " or more" } else { "" };
            format!("the answer breaks its schema: {first}, and {} others{more}", rest.len())
        }
    }
}
