//! How a specification is written. The first strategy that fits is taken.

use super::{gherkin, plain};

/// The five formats, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// `Scenario:` with its steps.
    Gherkin,
    /// `name -> step -> step`, one scenario a line.
    Arrow,
    /// `name: step, step` in every line.
    Colon,
    /// Prose with full stops, one scenario a paragraph.
    Sentences,
    /// One scenario a line.
    Lines,
}

impl Strategy {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Self; 5] =
        [Self::Gherkin, Self::Arrow, Self::Colon, Self::Sentences, Self::Lines];

    /// One word for it, for plans and logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gherkin => "gherkin",
            Self::Arrow => "arrow",
            Self::Colon => "colon",
            Self::Sentences => "sentences",
            Self::Lines => "lines",
        }
    }

    pub(super) fn detect(text: &str) -> Self {
        if gherkin::fits(text) {
            Self::Gherkin
        } else if plain::fits_arrow(text) {
            Self::Arrow
        } else if plain::fits_colon(text) {
            Self::Colon
        } else if plain::fits_sentences(text) {
            Self::Sentences
        } else {
            Self::Lines
        }
    }
}
