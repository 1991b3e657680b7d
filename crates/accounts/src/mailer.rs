//! The port to mail.

use async_trait::async_trait;

/// What a code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    Verify,
    Reset,
}

impl Purpose {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Reset => "reset",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Verify, Self::Reset].into_iter().find(|purpose| purpose.as_str() == word)
    }
}

/// Sends codes to people.
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Hands a code to whatever carries it. It must not wait for a mail server: how long it takes would
    /// tell a stranger whether an address has an account.
    ///
    /// It is called after the code is kept. A failure is logged and the caller is told nothing of it:
    /// the user asks for another code.
    async fn send_code(&self, to: &str, code: &str, purpose: Purpose) -> Result<(), MailError>;
}

/// Why mail could not be handed over. It must not contain the code.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct MailError(pub String);
