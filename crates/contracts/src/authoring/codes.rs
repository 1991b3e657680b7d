//! Every error code of the document, with its HTTP status and what users are told.

use crate::wire::words;

words! {
    /// The document's error codes.
    pub enum ErrorCode {
        // Models and agents
        AiRateLimited = "AI_RATE_LIMITED",
        AiProviderError = "AI_PROVIDER_ERROR",
        AiInvalidResponse = "AI_INVALID_RESPONSE",
        AiNetworkError = "AI_NETWORK_ERROR",
        AiAuthError = "AI_AUTH_ERROR",
        AiKeyMissing = "AI_KEY_MISSING",
        AiModelNotFound = "AI_MODEL_NOT_FOUND",
        ModelNotAllowed = "MODEL_NOT_ALLOWED",
        // Accounts
        Unauthorized = "UNAUTHORIZED",
        InvalidCredentials = "INVALID_CREDENTIALS",
        EmailInUse = "EMAIL_IN_USE",
        UserNotFound = "USER_NOT_FOUND",
        EmailNotVerified = "EMAIL_NOT_VERIFIED",
        AlreadyVerified = "ALREADY_VERIFIED",
        InvalidCode = "INVALID_CODE",
        RateLimited = "RATE_LIMITED",
        UserDisabled = "USER_DISABLED",
        InvalidProvider = "INVALID_PROVIDER",
        OauthNotConfigured = "OAUTH_NOT_CONFIGURED",
        // Settings
        EncryptionNotConfigured = "ENCRYPTION_NOT_CONFIGURED",
        DuplicateKey = "DUPLICATE_KEY",
        Forbidden = "FORBIDDEN",
        // Core
        ValidationError = "VALIDATION_ERROR",
        NotFound = "NOT_FOUND",
        InvalidState = "INVALID_STATE",
        DatabaseError = "DATABASE_ERROR",
        InternalError = "INTERNAL_ERROR",
    }
}

impl ErrorCode {
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::ModelNotAllowed
            | Self::InvalidCode
            | Self::InvalidProvider
            | Self::ValidationError => 400,
            Self::Unauthorized | Self::InvalidCredentials => 401,
            Self::EmailNotVerified
            | Self::AlreadyVerified
            | Self::UserDisabled
            | Self::Forbidden => 403,
            Self::AiModelNotFound | Self::UserNotFound | Self::NotFound => 404,
            Self::EmailInUse | Self::DuplicateKey | Self::InvalidState => 409,
            Self::AiKeyMissing => 412,
            Self::AiRateLimited | Self::RateLimited => 429,
            Self::DatabaseError | Self::InternalError => 500,
            Self::AiAuthError => 502,
            Self::AiProviderError
            | Self::AiInvalidResponse
            | Self::AiNetworkError
            | Self::OauthNotConfigured
            | Self::EncryptionNotConfigured => 503,
        }
    }

    /// What a user is told, where the document gives the words.
    #[must_use]
    pub const fn user_message(self) -> Option<&'static str> {
        Some(match self {
            Self::AiRateLimited => "The AI service is busy. Your job will retry automatically.",
            Self::AiProviderError => "The AI service encountered an error. Please try again.",
            Self::AiInvalidResponse => "The AI returned an unexpected response. Please retry.",
            Self::AiNetworkError => "Could not reach the AI service. Check your connection.",
            Self::AiAuthError => "AI authentication failed. Check your API key in Settings.",
            Self::AiKeyMissing => "No AI key configured. Add one in Settings > AI Keys.",
            Self::AiModelNotFound => "The requested model is not available.",
            Self::ModelNotAllowed => "This model is not allowed. Choose from the approved list.",
            Self::Unauthorized
            | Self::InvalidCredentials
            | Self::EmailInUse
            | Self::UserNotFound
            | Self::EmailNotVerified
            | Self::AlreadyVerified
            | Self::InvalidCode
            | Self::RateLimited
            | Self::UserDisabled
            | Self::InvalidProvider
            | Self::OauthNotConfigured
            | Self::EncryptionNotConfigured
            | Self::DuplicateKey
            | Self::Forbidden
            | Self::ValidationError
            | Self::NotFound
            | Self::InvalidState
            | Self::DatabaseError
            | Self::InternalError => return None,
        })
    }
}
