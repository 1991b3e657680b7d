//! How often anybody may try, and how long things last.

use std::{fmt, time::Duration};

use consign_engine::At;

use crate::{Client, Email};

/// So many attempts in any span of this length. One that is refused is not counted, so that nobody can
/// keep another out for longer than that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    pub subject: Subject,
    pub most: u32,
    pub window: Duration,
}

impl Limit {
    /// Until when an attempt counts that is made now.
    #[must_use]
    pub fn counts_until(&self, now: At) -> At {
        now + self.window
    }

    /// How long to wait for the first of them to count no more. At least a second, so that nobody is
    /// told to come back at once.
    #[must_use]
    pub fn retry_after(&self, counts_until: At, now: At) -> Duration {
        counts_until.since(now).clamp(Duration::from_secs(1), self.window)
    }
}

pub(crate) fn before(now: At, span: Duration) -> At {
    At(now.0.saturating_sub(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
}

/// What attempts are counted for. Also for addresses without an account: a limit must not tell which
/// have one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject(String);

impl Subject {
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) const WINDOW: Duration = Duration::from_secs(15 * 60);
pub(crate) const CODE_LASTS: Duration = Duration::from_secs(15 * 60);
pub(crate) const CODE_TRIES: u32 = 5;
pub(crate) const SESSION_IDLE: Duration = Duration::from_secs(14 * 24 * 3600);
pub(crate) const SESSION_LASTS: Duration = Duration::from_secs(90 * 24 * 3600);
/// How exactly it is known when a session was last used.
pub(crate) const SESSION_TOUCH: Duration = Duration::from_secs(3600);
pub(crate) const OAUTH_LASTS: Duration = Duration::from_secs(10 * 60);

fn limit(name: &str, whose: &str, most: u32) -> Limit {
    Limit { subject: Subject(format!("{name} {whose}")), most, window: WINDOW }
}

pub(crate) fn log_ins_of_account(email: &Email) -> Limit {
    limit("log-in account", email.key(), 10)
}

pub(crate) fn log_ins_of_address(client: &Client) -> Limit {
    limit("log-in address", &client.network(), 30)
}

/// All other routes that need no identity, together.
pub(crate) fn others_of_address(client: &Client) -> Limit {
    limit("public address", &client.network(), 30)
}

/// Codes for both purposes, together: so nobody has more than fifteen guesses at an account.
pub(crate) fn codes_of_account(email: &Email) -> Limit {
    limit("codes", email.key(), 3)
}
