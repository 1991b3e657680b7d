//! Errors of keys. No message contains a key, a sealing key, or a part of one.

use std::{borrow::Cow, io, path::PathBuf};

use consign_contracts::authoring::ErrorCode;
use consign_engine::{Fault, FaultClass, Owner, store};

use super::{Fingerprint, NEW_KEY, OLD_KEY, Unfit};
use crate::Provider;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no sealing key: {NEW_KEY} is not set, and {file} does not exist")]
    NotConfigured { file: PathBuf },
    /// The sealing key must not or cannot be used. The text says what to do.
    #[error("{0}")]
    Refused(String),
    #[error("there is a sealing key already: {0}")]
    Exists(String),
    /// Sealed with a sealing key that is missing here: it was replaced or lost.
    #[error("the {name} key of {owner} was sealed with {with}, and that sealing key is missing")]
    Locked { owner: Owner, name: String, with: Fingerprint },
    #[error("the {name} key of {owner} is damaged, or was moved there from another owner or name")]
    Damaged { owner: Owner, name: String },
    #[error("{owner} has a key for {name} already")]
    Duplicate { owner: Owner, name: &'static str },
    #[error("{place} does not hold a valid key: it {why}")]
    Unfit { place: String, why: Unfit },
    #[error("the sealing key is in the environment: to change it, put the old one into {OLD_KEY}")]
    NoOldKey,
    #[error("another process is changing the keys; try again")]
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
