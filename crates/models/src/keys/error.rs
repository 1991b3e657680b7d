//! What can go wrong with keys. No text repeats a key, a sealing key, or a part of one.

use std::{borrow::Cow, io, path::PathBuf};

use consign_contracts::authoring::ErrorCode;
use consign_engine::{Fault, FaultClass, Owner, store};

use super::{Fingerprint, NEW_KEY, OLD_KEY, Unfit};
use crate::Provider;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no sealing key: {NEW_KEY} is not set, and {file} is not there")]
    NotConfigured { file: PathBuf },
    /// There is one that must not or cannot be used. The text says what to do.
    #[error("{0}")]
    Refused(String),
    #[error("there is a sealing key already: {0}")]
    Exists(String),
    /// Sealed with a sealing key that is not here: another was put in its place, or it is lost.
    #[error("the {name} key of {owner} was sealed with {with}, and that sealing key is not here")]
    Locked { owner: Owner, name: String, with: Fingerprint },
    #[error("the {name} key of {owner} is damaged, or was moved there from another owner or name")]
    Damaged { owner: Owner, name: String },
    #[error("{owner} has a key for {name} already")]
    Duplicate { owner: Owner, name: &'static str },
    #[error("{place} holds no key: it {why}")]
    Unfit { place: String, why: Unfit },
    #[error(
        "the sealing key is in the environment: only with the old one in {OLD_KEY} can it change"
    )]
    NoOldKey,
    #[error("another process is changing the keys")]
    Busy,
    #[error("could not {doing} {path}: {source}")]
    Disk { doing: &'static str, path: PathBuf, source: io::Error },
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Error {
    pub(super) fn duplicate(owner: &Owner, provider: Provider) -> Self {
        Self::Duplicate { owner: owner.clone(), name: provider.as_str() }
    }

    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured { .. } => ErrorCode::EncryptionNotConfigured.as_str(),
            Self::Duplicate { .. } => ErrorCode::DuplicateKey.as_str(),
            Self::NoOldKey => ErrorCode::InvalidState.as_str(),
            Self::Refused(_) => "SEALING_KEY_REFUSED",
            Self::Exists(_) => "SEALING_KEY_EXISTS",
            Self::Locked { .. } => "SEALING_KEY_WRONG",
            Self::Damaged { .. } => "KEY_DAMAGED",
            Self::Unfit { .. } => "INVALID_KEY",
            Self::Busy => "KEYS_BUSY",
            Self::Disk { .. } => "KEYS_UNAVAILABLE",
            Self::Store(store::Error::Unavailable(_)) => "STORE_UNAVAILABLE",
            Self::Store(store::Error::Damaged(_)) => "STORE_DAMAGED",
            Self::Store(_) => "STORE_LOST",
        }
    }

    /// Whether trying again may help.
    fn is_passing(&self) -> bool {
        match self {
            Self::Busy | Self::Disk { .. } => true,
            Self::Store(error) => matches!(error, store::Error::Unavailable(_)),
            Self::NotConfigured { .. }
            | Self::Refused(_)
            | Self::Exists(_)
            | Self::Locked { .. }
            | Self::Damaged { .. }
            | Self::Duplicate { .. }
            | Self::Unfit { .. }
            | Self::NoOldKey => false,
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let code = error.code();
        let dialect = ErrorCode::ALL.iter().any(|known| known.as_str() == code);
        let passing = error.is_passing();
        Self {
            code: Cow::Borrowed(code),
            dialect: dialect.then_some(Cow::Borrowed("authoring")),
            class: if passing { FaultClass::Transient } else { FaultClass::Permanent },
            message: error.to_string(),
            details: None,
            recoverable: passing,
            retry_after: None,
        }
    }
}
