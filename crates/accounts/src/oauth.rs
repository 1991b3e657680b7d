//! Signing in through another site.

use crate::Secret;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    GitHub,
    Google,
}

impl Provider {
    pub const ALL: [Self; 2] = [Self::GitHub, Self::Google];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GitHub => "github",
            Self::Google => "google",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == word)
    }
}

/// An attempt that has begun. It can be [taken](crate::Accounts::take_oauth) once, within ten minutes.
#[derive(Clone, Debug)]
pub struct OauthAttempt {
    /// Goes through the provider and comes back in the callback.
    pub state: Secret,
    /// Stays with us; its SHA-256 is the challenge.
    pub pkce_verifier: Secret,
    /// Goes into a cookie, so that only the browser that began can finish.
    pub browser: Secret,
}

/// Who somebody is at the provider, as the provider says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideUser {
    /// Never given to another person there, unlike a name or an address.
    pub id: String,
    pub email: Option<String>,
    pub is_email_verified: bool,
}
