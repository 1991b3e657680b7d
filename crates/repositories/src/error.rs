//! What can go wrong with a repository, and whether the same call may succeed later.

use std::time::Duration;

use crate::BadName;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such repository, commit or branch, or none that these credentials may see.
    #[error("{what} was not found")]
    NotFound { what: String },
    /// The token is wrong or has expired.
    #[error("the credentials were not accepted")]
    BadCredentials,
    /// The credentials are good, but not for this.
    #[error("access was denied: {why}")]
    Forbidden { why: String },
    /// Too many calls. Nothing was done; the same call may succeed after this time.
    #[error("the rate limit is reached{}", seconds(.retry_after))]
    RateLimited { retry_after: Option<Duration> },
    /// Somebody else changed the branch or the file. The caller reads again and decides again.
    #[error("{what}")]
    Conflict { what: String },
    /// The repository does not take this, and will not take it later.
    #[error("{why}")]
    Refused { why: String },
    /// A file is larger than the caller wants to read, or than this way of reading allows.
    #[error("{path} has {size} bytes; at most {most} are read")]
    TooLarge { path: String, size: u64, most: u64 },
    /// There is no answer, or only a part of one: what was asked for may have been done.
    #[error("the repository could not be reached: {why}")]
    Unreachable { why: String },
    /// The answer is not what the protocol promises.
    #[error("the answer could not be understood: {why}")]
    InvalidAnswer { why: String },
    /// This kind of repository has no such thing.
    #[error("{what} is not supported by this kind of repository")]
    Unsupported { what: &'static str },
    #[error(transparent)]
    Name(#[from] BadName),
}

impl Error {
    /// Whether the same call may succeed when it is made again later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::Unreachable { .. } => true,
            Self::NotFound { .. }
            | Self::BadCredentials
            | Self::Forbidden { .. }
            | Self::Conflict { .. }
            | Self::Refused { .. }
            | Self::TooLarge { .. }
            | Self::InvalidAnswer { .. }
            | Self::Unsupported { .. }
            | Self::Name(_) => false,
        }
    }

    /// How long to wait before the same call, where the other side said so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let Self::RateLimited { retry_after } = self else { return None };
        *retry_after
    }

    pub(crate) fn not_found(what: impl Into<String>) -> Self {
        Self::NotFound { what: what.into() }
    }

    pub(crate) fn conflict(what: impl Into<String>) -> Self {
        Self::Conflict { what: what.into() }
    }

    pub(crate) fn refused(why: impl Into<String>) -> Self {
        Self::Refused { why: why.into() }
    }

    pub(crate) fn unreachable(why: impl Into<String>) -> Self {
        Self::Unreachable { why: why.into() }
    }

    pub(crate) fn invalid(why: impl Into<String>) -> Self {
        Self::InvalidAnswer { why: why.into() }
    }
}

fn seconds(retry_after: &Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |after| format!("; try again in {} s", after.as_secs()))
}
