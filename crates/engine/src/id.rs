//! Identifiers, each a type of its own: runs, workers, keys, owners, actors, event numbers and epochs.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

macro_rules! name {
    ($(#[$doc:meta])* $type:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $type(Arc<str>);

        impl $type {
            #[must_use]
            pub fn new(name: impl Into<Arc<str>>) -> Self {
                Self(name.into())
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $type {
            fn from(name: &str) -> Self {
                Self::new(name)
            }
        }

        impl From<String> for $type {
            fn from(name: String) -> Self {
                Self::new(name)
            }
        }
    };
}

name! {
    /// One durable execution.
    RunId
}
name! {
    /// A process that drives runs, for as long as it lives.
    WorkerId
}
name! {
    /// An activity in its run: unique there, for ever. A key that ended must not be opened again.
    /// Keys that begin with `@` are the engine's own.
    Key
}
name! {
    /// The account that pays for a run.
    Owner
}
name! {
    /// The person or program that caused an event. An id, never an address.
    Actor
}

impl Key {
    /// The engine asks for a higher limit under this key. A late answer to an earlier question must
    /// not be taken for one to this: hence the number.
    pub(crate) fn limit(number: u32) -> Self {
        Self::new(format!("@limit@{number}"))
    }

    #[must_use]
    pub fn asks_for_limit(&self) -> bool {
        self.0.starts_with("@limit@")
    }

    /// The key under which the engine asks for a newer program, or for a person to look at a broken run.
    pub(crate) fn stuck(number: u32) -> Self {
        Self::new(format!("@stuck@{number}"))
    }

    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.0.starts_with("@stuck@")
    }

    /// The engine asks what became of an attempt of a call under this key.
    pub(crate) fn outcome(of: &Self, attempt: u32) -> Self {
        Self::new(format!("@outcome:{of}@{attempt}"))
    }

    /// The call and the attempt of it whose outcome is asked.
    #[must_use]
    pub fn asks_outcome_of(&self) -> Option<(Self, u32)> {
        let (of, attempt) = self.0.strip_prefix("@outcome:")?.rsplit_once('@')?;
        Some((of.into(), attempt.parse().ok()?))
    }

    #[must_use]
    pub fn is_engines(&self) -> bool {
        self.0.starts_with('@')
    }

    /// Why a workflow may not use this key. What it names ends up in idempotency keys and tables.
    pub(crate) fn unfit(&self) -> Option<&'static str> {
        let plain = |letter: char| letter.is_ascii_graphic() && letter != '"' && letter != '\\';
        match () {
            () if self.0.is_empty() || self.0.len() > 200 => Some("has not 1 to 200 letters"),
            () if self.is_engines() => Some("begins with `@`"),
            () if !self.0.chars().all(plain) => Some("is not plain ASCII"),
            () => None,
        }
    }
}

impl RunId {
    /// Sixteen letters out of ten random bytes: no `i`, `l`, `o` or `u` to misread.
    #[must_use]
    pub fn from_random(random: [u8; 10]) -> Self {
        Self::new(letters(random))
    }

    /// Why a caller may not give a run this name. It ends up in idempotency keys, tables and paths.
    pub(crate) fn unfit(&self) -> Option<&'static str> {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        match () {
            () if self.0.is_empty() || self.0.len() > 64 => Some("has not 1 to 64 letters"),
            () if !self.0.starts_with(|first: char| first.is_ascii_alphanumeric()) => {
                Some("does not begin with a letter or a digit")
            }
            () if !self.0.chars().all(plain) => {
                Some("has other letters than a-z, 0-9, `.`, `_`, `-`")
            }
            () => None,
        }
    }
}

impl WorkerId {
    #[must_use]
    pub fn from_random(random: [u8; 10]) -> Self {
        Self::new(format!("w{}", &letters(random)[..11]))
    }
}

fn letters(random: [u8; 10]) -> String {
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let bits = random.iter().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
    (0..16).rev().map(|place| char::from(ALPHABET[(bits >> (place * 5) & 31) as usize])).collect()
}

/// The place of an event in its run's journal, from 0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The count of holders that a run has had: the holder of an older epoch can no longer write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

/// The version of a workflow's program and state.
pub type Version = u32;
