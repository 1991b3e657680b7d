//! The faults that a script can cause.

use std::time::Duration;

use serde::Deserialize;

use crate::refusal::{Kind, Refusal, RetryAfter};

/// A fault, as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Fault {
    Unauthorized {
        status: Option<u16>,
    },
    NotFound {
        status: Option<u16>,
    },
    RateLimited {
        status: Option<u16>,
        /// Seconds.
        retry_after: Option<u64>,
        /// Seconds from now, sent as a date; or a date, sent as it is.
        retry_after_date: Option<Date>,
    },
    Quota {
        status: Option<u16>,
    },
    ServerError {
        status: Option<u16>,
    },
    Overloaded {
        status: Option<u16>,
    },
    /// A page of the proxy's, not of the provider's.
    BadGateway {
        status: Option<u16>,
    },
    SlowFirstByte {
        ms: u32,
    },
    /// Stops after so many chunks, for some time or for ever.
    Stall {
        #[serde(default = "one")]
        after_chunks: usize,
        ms: Option<u32>,
    },
    /// The connection is dropped before the end.
    CutOff {
        after_chunks: Option<usize>,
        after_bytes: Option<usize>,
    },
    /// An HTML page, with a status of success.
    WrongContentType {},
    /// The right content type, and a body that is not JSON.
    BadJson {},
    /// JSON that does not fit the schema.
    BreaksSchema {},
    /// An answer of so many megabytes.
    Huge {
        #[serde(default = "sixty_four")]
        megabytes: u32,
    },
    /// An answer without text.
    Empty {},
    /// The provider or the model refuses to answer.
    Refused {
        #[serde(default)]
        by: Filter,
    },
    /// An error in the middle of a stream; without a stream, instead of an answer.
    StreamError {
        #[serde(default = "one")]
        after_chunks: usize,
    },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Date {
    In(u64),
    Verbatim(String),
}

/// Who refuses. Providers report it in different places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Filter {
    #[default]
    Model,
    Filter,
}

/// How much of an answer still comes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum After {
    Chunks(usize),
    Bytes(usize),
}

const fn one() -> usize {
    1
}

const fn sixty_four() -> u32 {
    64
}

/// The limit for huge answers.
const MOST_MEGABYTES: u32 = 16_384;

impl Fault {
    /// Checks what the types alone cannot.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.status().is_some_and(|status| !(400..600).contains(&status)) {
            return Err("`status` must be from 400 to 599".to_owned());
        }
        if let Self::RateLimited { retry_after: Some(_), retry_after_date: Some(_), .. } = self {
            return Err("`retry_after` and `retry_after_date` cannot be combined".to_owned());
        }
        if let Self::RateLimited { retry_after_date: Some(date), .. } = self {
            date.check()?;
        }
        if let Self::CutOff { after_chunks: Some(_), after_bytes: Some(_) } = self {
            return Err("`after_chunks` and `after_bytes` cannot be combined".to_owned());
        }
        if let Self::Huge { megabytes } = self
            && *megabytes > MOST_MEGABYTES
        {
            return Err(format!("`megabytes` must be at most {MOST_MEGABYTES}"));
        }
        Ok(())
    }

    fn status(&self) -> Option<u16> {
        let (Self::Unauthorized { status }
        | Self::NotFound { status }
        | Self::RateLimited { status, .. }
        | Self::Quota { status }
        | Self::ServerError { status }
        | Self::Overloaded { status }
        | Self::BadGateway { status }) = self
        else {
            return None;
        };
        *status
    }

    /// The refusal, if the fault is one.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        let kind = match self {
            Self::Unauthorized { .. } => Kind::Unauthorized,
            Self::NotFound { .. } => Kind::ModelUnknown,
            Self::RateLimited { retry_after, retry_after_date, .. } => {
                Kind::RateLimited(match (retry_after, retry_after_date) {
                    (Some(seconds), _) => RetryAfter::Seconds(*seconds),
                    (None, Some(Date::In(seconds))) => RetryAfter::DateIn(*seconds),
                    (None, Some(Date::Verbatim(date))) => RetryAfter::Verbatim(date.clone()),
                    (None, None) => RetryAfter::Unsaid,
                })
            }
            Self::Quota { .. } => Kind::Quota,
            Self::ServerError { .. } => Kind::ServerError,
            Self::Overloaded { .. } => Kind::Overloaded,
            Self::BadGateway { .. }
            | Self::SlowFirstByte { .. }
            | Self::Stall { .. }
            | Self::CutOff { .. }
            | Self::WrongContentType {}
            | Self::BadJson {}
            | Self::BreaksSchema {}
            | Self::Huge { .. }
            | Self::Empty {}
            | Self::Refused { .. }
            | Self::StreamError { .. } => return None,
        };
        Some(Refusal { status: self.status(), ..kind.into() })
    }

    /// The status of a page that comes in place of an answer.
    pub(crate) fn page(&self) -> Option<u16> {
        let is_page = matches!(self, Self::BadGateway { .. } | Self::WrongContentType {});
        let well = matches!(self, Self::WrongContentType {});
        is_page.then(|| self.status().unwrap_or(if well { 200 } else { 502 }))
    }

    /// How long the first byte is held back.
    pub(crate) fn before(&self) -> Duration {
        let Self::SlowFirstByte { ms } = self else { return Duration::ZERO };
        Duration::from_millis((*ms).into())
    }
}

impl Date {
    fn check(&self) -> Result<(), String> {
        const TEN_YEARS: u64 = 10 * 365 * 86_400;
        match self {
            Self::In(seconds) if *seconds > TEN_YEARS => {
                Err("`retry_after_date` must be within ten years".to_owned())
            }
            Self::Verbatim(date) if !date.bytes().all(|byte| (b' '..=b'~').contains(&byte)) => {
                Err("`retry_after_date` must be plain ASCII".to_owned())
            }
            Self::In(_) | Self::Verbatim(_) => Ok(()),
        }
    }
}
