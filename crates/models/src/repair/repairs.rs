//! The kinds of damage that can be mended, as the journal records them.

use std::fmt;

/// One kind of damage that was mended. Its name is written to the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repair {
    /// A byte order mark before the text.
    ByteOrderMark,
    /// A block in `<think>` or its like, before or after the answer.
    Reasoning,
    /// Lines of Markdown around the value.
    CodeFence,
    /// Words around the value.
    SurroundingProse,
    /// One value twice or more, with words between.
    Repetition,
    /// Line breaks and the like, unescaped in a string.
    RawControl,
    /// Strings in single quotes that hold no quote and no backslash.
    SingleQuotes,
    /// A comma before a closing bracket.
    TrailingComma,
    /// Brackets missing at the end, where nothing else can be.
    ClosingBrackets,
}

impl Repair {
    pub const ALL: [Repair; 9] = [
        Repair::ByteOrderMark,
        Repair::Reasoning,
        Repair::CodeFence,
        Repair::SurroundingProse,
        Repair::Repetition,
        Repair::RawControl,
        Repair::SingleQuotes,
        Repair::TrailingComma,
        Repair::ClosingBrackets,
    ];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Repair::ByteOrderMark => "byte_order_mark",
            Repair::Reasoning => "reasoning",
            Repair::CodeFence => "code_fence",
            Repair::SurroundingProse => "surrounding_prose",
            Repair::Repetition => "repetition",
            Repair::RawControl => "raw_control",
            Repair::SingleQuotes => "single_quotes",
            Repair::TrailingComma => "trailing_comma",
            Repair::ClosingBrackets => "closing_brackets",
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Each kind once, in the order of the enum.
#[derive(Clone, Debug, Default)]
pub(super) struct Repairs(Vec<Repair>);

impl Repairs {
    pub(super) fn add(&mut self, repair: Repair) {
        if let Err(place) = self.0.binary_search(&repair) {
            self.0.insert(place, repair);
        }
    }

    pub(super) fn add_all(&mut self, others: &Repairs) {
        others.0.iter().for_each(|repair| self.add(*repair));
    }

    pub(super) fn into_vec(self) -> Vec<Repair> {
        self.0
    }
}
