//! Errors of a provider, before a dialect writes them in its own form.

use super::fields::Wrong;

/// An error of the provider.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) kind: Kind,
    /// The dialect has a message of its own for most kinds.
    pub(super) message: Option<String>,
    /// The member of the request that is wrong.
    pub(super) param: Option<String>,
    /// OpenAI's own code for it.
    pub(super) code: Option<&'static str>,
    /// The status, if it is not the usual one of the kind.
    pub(super) status: Option<u16>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    BadRequest,
    KeyMissing,
    /// There is a key, and it is not one of those that the script names.
    KeyUnknown,
    /// The script says so.
    Unauthorized,
    /// There is no such model.
    ModelUnknown,
    /// There is no such address.
    NoRoute,
    WrongMethod,
    TooLarge,
    RateLimited(RetryAfter),
    Quota,
    ServerError,
    Overloaded,
}

/// When to come back.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RetryAfter {
    Unsaid,
    Seconds(u64),
    /// As an HTTP date: so many seconds from now.
    DateIn(u64),
    /// Sent as it is.
    Verbatim(String),
}

impl RetryAfter {
    /// The header's value.
    pub(super) fn header(&self) -> Option<String> {
        match self {
            Self::Unsaid => None,
            Self::Seconds(seconds) => Some(seconds.to_string()),
            Self::DateIn(seconds) => {
                let then = std::time::SystemTime::now() + std::time::Duration::from_secs(*seconds);
                Some(httpdate::fmt_http_date(then))
            }
            Self::Verbatim(text) => Some(text.clone()),
        }
    }
}

impl From<Kind> for Refusal {
    fn from(kind: Kind) -> Self {
        Self { kind, message: None, param: None, code: None, status: None }
    }
}

impl Refusal {
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..Kind::BadRequest.into() }
    }

    pub(super) fn about(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    pub(super) fn coded(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// The status that the kind has with every provider.
    pub(super) fn status(&self) -> u16 {
        self.status.unwrap_or(match self.kind {
            Kind::BadRequest => 400,
            Kind::KeyMissing | Kind::KeyUnknown | Kind::Unauthorized => 401,
            Kind::ModelUnknown | Kind::NoRoute => 404,
            Kind::WrongMethod => 405,
            Kind::TooLarge => 413,
            Kind::RateLimited(_) | Kind::Quota => 429,
            Kind::ServerError => 500,
            Kind::Overloaded => 529,
        })
    }
}

/// Why a request could not be read; the dialect words the second kind itself.
pub(super) enum Unread {
    Refused(Refusal),
    Wrong(Wrong),
}

impl From<Refusal> for Unread {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Wrong> for Unread {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}
