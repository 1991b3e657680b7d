//! A call without an answer: why there is none, and what it may have cost.

use consign_contracts::authoring::ErrorCode;

use super::Target;
use crate::{Trouble, chat::Usage, transport::Broken};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    pub trouble: Trouble,
    pub charged: Charged,
}

/// What a call without an answer is known to have cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charged {
    /// Nothing was sent, or the provider said that it did nothing.
    Nothing,
    /// The provider said what it counted.
    Usage(Usage),
    /// It is unknown.
    Unknown,
}

/// Shorter secrets are not removed: they occur in ordinary words too, and protect nothing.
pub(crate) const SHORTEST_KEY: usize = 6;

/// The most characters of a provider's message that are kept.
const MOST_WORDS: usize = 500;

impl Refused {
    pub(super) fn free(trouble: Trouble) -> Self {
        Self { trouble, charged: Charged::Nothing }
    }

    pub(super) fn unknown(trouble: Trouble) -> Self {
        Self { trouble, charged: Charged::Unknown }
    }

    /// The request was sent, and the answer did not arrive, or not completely.
    pub(super) fn lost(what: String) -> Self {
        Self::unknown(Trouble::passing(ErrorCode::AiNetworkError, what))
    }

    /// The request was sent, and waiting for the answer took too long.
    pub(super) fn late(what: String) -> Self {
        Self::unknown(Trouble::passing(ErrorCode::AiNetworkError, what).late())
    }

    pub(super) fn broken(broken: Broken) -> Self {
        match &broken {
            Broken::Unreached(_) => {
                Self::free(Trouble::passing(ErrorCode::AiNetworkError, broken.to_string()))
            }
            Broken::Lost(_) => Self::lost(broken.to_string()),
            Broken::Unrecorded(_) => {
                Self::free(Trouble::lasting(ErrorCode::AiNetworkError, broken.to_string()))
            }
        }
    }

    /// The error for a status. A provider that refuses, or reports its own failure, charges
    /// nothing. A proxy on the way knows nothing of what the provider did.
    pub(super) fn by_status(status: u16, trouble: Trouble) -> Self {
        match status {
            408 | 499 | 502 | 504 | 520..=527 => Self::unknown(trouble),
            _ => Self::free(trouble),
        }
    }

    /// Makes the message safe to keep and show: bounded, on one line, and without the key, which
    /// some providers repeat.
    pub(super) fn cleaned(mut self, target: &Target) -> Self {
        let words = self.trouble.what.chars().filter_map(|letter| match letter {
            '\n' | '\t' => Some(' '),
            letter if letter.is_control() => None,
            letter => Some(letter),
        });
        let mut words: String = words.collect();
        if let Some(key) = target.key.as_ref().map(|key| key.reveal().trim())
            && key.len() >= SHORTEST_KEY
        {
            words = words.replace(key, "***");
        }
        // Only now: half a key is not found any more.
        self.trouble.what = words.chars().take(MOST_WORDS).collect();
        self
    }
}
