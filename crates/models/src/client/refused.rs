//! No answer, and what that is known to have cost.

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
    /// Nobody can tell.
    Unknown,
}

/// What is shorter is found in innocent words too, and protects nothing.
pub(crate) const SHORTEST_KEY: usize = 6;

/// The most characters of the other side's words that are kept.
const MOST_WORDS: usize = 500;

impl Refused {
    pub(super) fn free(trouble: Trouble) -> Self {
        Self { trouble, charged: Charged::Nothing }
    }

    pub(super) fn unknown(trouble: Trouble) -> Self {
        Self { trouble, charged: Charged::Unknown }
    }

    /// The question went out, and the answer did not come, or not to its end.
    pub(super) fn lost(what: String) -> Self {
        Self::unknown(Trouble::passing(ErrorCode::AiNetworkError, what))
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

    /// A provider that refuses, or says of itself that it failed, charges nothing. What stands between
    /// says nothing of what the provider did.
    pub(super) fn by_status(status: u16, trouble: Trouble) -> Self {
        match status {
            408 | 499 | 502 | 504 | 520..=527 => Self::unknown(trouble),
            _ => Self::free(trouble),
        }
    }

    /// The same in words that can be kept and shown: bounded, on one line, and without the key, which
    /// some providers hand back.
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
