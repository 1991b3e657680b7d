//! Everything that can be refused, with its code.

use std::time::Duration;

use consign_engine::store;

/// Why something was not done. Nothing was changed, except for counts.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error("the address or the password is wrong")]
    InvalidCredentials,
    #[error("there is an account with this address already")]
    EmailInUse,
    #[error("there is no such account")]
    UserNotFound,
    #[error("the address is not verified yet; enter the code that was sent to it")]
    EmailNotVerified,
    #[error("the address is verified already")]
    AlreadyVerified,
    #[error("the code is wrong or no longer valid; ask for another one")]
    InvalidCode,
    /// Also for the right password.
    #[error("too many attempts; try again in {} seconds", seconds(retry_after))]
    RateLimited { retry_after: Duration },
    #[error("the account is disabled")]
    UserDisabled,
    #[error("there is no such provider")]
    InvalidProvider,
    #[error("signing in with this provider is not set up on this server")]
    OauthNotConfigured,
    #[error("this is not allowed")]
    Forbidden,
    #[error("{field} {why}")]
    Validation { field: &'static str, why: String },
    /// Too many passwords are being checked. It passes in a second.
    #[error("too many people are signing in at this moment; try again")]
    Overloaded,
    /// Never shown to a stranger: it may name files.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Error {
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidCredentials => "INVALID_CREDENTIALS",
            Self::EmailInUse => "EMAIL_IN_USE",
            Self::UserNotFound => "USER_NOT_FOUND",
            Self::EmailNotVerified => "EMAIL_NOT_VERIFIED",
            Self::AlreadyVerified => "ALREADY_VERIFIED",
            Self::InvalidCode => "INVALID_CODE",
            Self::RateLimited { .. } => "RATE_LIMITED",
            Self::UserDisabled => "USER_DISABLED",
            Self::InvalidProvider => "INVALID_PROVIDER",
            Self::OauthNotConfigured => "OAUTH_NOT_CONFIGURED",
            Self::Forbidden => "FORBIDDEN",
            Self::Validation { .. } => "VALIDATION_ERROR",
            Self::Overloaded => "OVERLOADED",
            Self::Store(_) => "DATABASE_ERROR",
        }
    }
}

/// Rounded up: whoever comes back after so many seconds is let in.
fn seconds(span: &Duration) -> u64 {
    span.as_secs() + u64::from(span.subsec_nanos() > 0)
}
