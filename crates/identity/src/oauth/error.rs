//! Why nobody was signed in.

use consign_accounts::Provider;

/// No variant holds a secret, a code, a token or words of the provider.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Answered with 503 `OAUTH_NOT_CONFIGURED`.
    #[error("sign-in with {} is not configured on this server", .0.as_str())]
    NotConfigured(Provider),
    /// The caller's mistake: a redirect URI, verifier or challenge that no provider takes.
    #[error("{0}")]
    Invalid(&'static str),
    /// The provider does not take the code: it is old, used, or not for us. The user starts again.
    #[error("{} refused the sign-in ({code}); start again", provider.as_str())]
    Refused { provider: Provider, code: String },
    /// The provider does not know this server: its client id, secret or redirect URI is not what was
    /// registered there. The operator has to look at it.
    #[error("{} does not accept this server's client id, secret or redirect URI ({code})", provider.as_str())]
    Misconfigured { provider: Provider, code: String },
    /// The provider could not be reached, or took too long. It may work later.
    #[error("{} could not be reached: {why}", provider.as_str())]
    Unreachable { provider: Provider, why: String },
    /// The provider answered something else than it should.
    #[error("{} gave an answer that is not valid: {why}", provider.as_str())]
    Answer { provider: Provider, why: String },
}
