//! Why a file could not be read.

use std::fmt;

use consign_contracts::crew::FailureCode;
use serde::{Deserialize, Serialize};

/// Why a file could not be read. A file that is merely damaged is no error: what can be had of it is given, with a
/// warning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "error", rename_all = "snake_case")]
pub enum ParseError {
    /// The file wants a password, or another one.
    #[error("{details}")]
    Encrypted {
        /// What to do.
        details: String,
    },
    /// The file is of a kind that is not read, or nothing in it can be read.
    #[error("{details}")]
    Unsupported {
        /// What was found, and what to do.
        details: String,
    },
    /// The file would take more than it may. Trying again would end alike.
    #[error("the file was not read: {details}")]
    Limit {
        /// Which limit.
        limit: Limit,
        /// What reached it.
        details: String,
    },
    /// The file takes longer to read than it may.
    #[error("the file was not read within {seconds} seconds")]
    Timeout {
        /// The time it had.
        seconds: u64,
    },
    /// The caller wants it no longer.
    #[error("reading was stopped")]
    Stopped,
    /// The process that reads files could not be started or talked to. The file is not to blame.
    #[error("could not run the process that reads documents: {details}")]
    Process {
        /// What failed.
        details: String,
    },
}

/// What a file may not have too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Memory of the process that reads it, or text that would come out.
    Memory,
    /// Things inside things.
    Depth,
    /// How much longer a packed part is once it is unpacked.
    Expansion,
    /// Files in an archive.
    Entries,
}

impl Limit {
    /// The name in `details.limit` of a failure.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Depth => "depth",
            Self::Expansion => "expansion",
            Self::Entries => "entries",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl ParseError {
    /// The code that the contracts have for it. None when the file is not to blame.
    #[must_use]
    pub const fn code(&self) -> Option<FailureCode> {
        match self {
            Self::Encrypted { .. } => Some(FailureCode::ParserEncrypted),
            Self::Unsupported { .. } | Self::Limit { .. } => Some(FailureCode::ParserUnsupported),
            Self::Timeout { .. } => Some(FailureCode::Timeout),
            Self::Stopped | Self::Process { .. } => None,
        }
    }

    /// The limit that was reached.
    #[must_use]
    pub const fn limit(&self) -> Option<Limit> {
        match self {
            Self::Limit { limit, .. } => Some(*limit),
            Self::Encrypted { .. }
            | Self::Unsupported { .. }
            | Self::Timeout { .. }
            | Self::Stopped
            | Self::Process { .. } => None,
        }
    }

    pub(crate) fn unsupported(details: impl Into<String>) -> Self {
        Self::Unsupported { details: details.into() }
    }

    pub(crate) fn limited(limit: Limit, details: impl Into<String>) -> Self {
        Self::Limit { limit, details: details.into() }
    }
}
