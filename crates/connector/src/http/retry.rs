//! When a request is tried again, and after what wait.

use std::time::Duration;

use consign_engine::At;
use reqwest::{StatusCode, Url, header::HeaderMap};

use super::client::{Http, place};
use crate::{Code, Error};

/// The longest wait of our own.
const LONGEST: Duration = Duration::from_secs(60);
/// A source that asks for more is left for another time.
const LONGEST_ASKED: Duration = Duration::from_secs(300);
/// No try begins later than this after the first one.
pub(crate) const LONGEST_TOGETHER: Duration = Duration::from_secs(360);

/// A try that failed.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) error: Error,
    /// Whether another try may help.
    pub(crate) again: bool,
}

impl Trouble {
    pub(crate) fn lasting(error: Error) -> Self {
        Self { error, again: false }
    }
}

impl From<Error> for Trouble {
    /// What may pass is tried again. What took too long as a whole is not: it would take as long again.
    fn from(error: Error) -> Self {
        let again = error.recoverable && error.code == Code::Unreachable;
        Self { error, again }
    }
}

/// The tries of one request.
///
/// It tries up to so often, with a wait after each failure that doubles and is spread at random, or that the
/// source asks for. No wait goes past the end of the session, nor past [`LONGEST_TOGETHER`].
pub(crate) struct Tries<'a> {
    http: &'a Http,
    url: &'a Url,
    until: Duration,
    failures: u32,
}

impl<'a> Tries<'a> {
    pub(crate) fn new(http: &'a Http, url: &'a Url, until: Duration) -> Self {
        let until = until.min(http.parts.clock.ticks() + LONGEST_TOGETHER);
        Self { http, url, until, failures: 0 }
    }

    /// Waits until it is time for the next try. Gives the error back if there is none.
    pub(crate) async fn failed(&mut self, trouble: Trouble) -> Result<(), Error> {
        let Trouble { error, again } = trouble;
        self.failures += 1;
        let parts = &self.http.parts;
        let asked = error.retry_after;
        let wait = asked.unwrap_or_else(|| wait(self.failures, parts.fraction()));
        let now = parts.clock.ticks();
        let is_last = self.failures >= self.http.options.tries;
        if !again || is_last || wait > LONGEST_ASKED || now + wait > self.until {
            return Err(error);
        }
        if asked.is_some() {
            self.http.paces.hold(now, &place(self.url), wait);
        }
        parts.sleep.sleep(wait).await;
        Ok(())
    }
}

/// One second after the first failure, then two, four, eight; between half of it and all of it.
fn wait(failures: u32, fraction: f64) -> Duration {
    let whole = Duration::from_secs(1 << (failures - 1).min(6)).min(LONGEST);
    whole.mul_f64(0.5 + 0.5 * fraction.clamp(0.0, 1.0))
}

/// What a status other than success means.
pub(crate) fn refused(url: &Url, status: StatusCode, headers: &HeaderMap, now: At) -> Trouble {
    let code = status.as_u16();
    let place = place(url);
    let asked = retry_after(headers, now);
    let error = match code {
        401 | 407 => Error::auth(format!(
            "{place} answered {code}: it wants credentials; name them with --credentials"
        )),
        403 => Error::auth(format!("{place} answered 403: access is not allowed")),
        404 | 410 => Error::not_found(format!("{place} answered {code}: there is no such page")),
        413 | 414 => Error::unreachable(format!("{place} answered {code}")),
        408 | 425 | 429 | 500..=599 => Error::passing(format!("{place} answered {code}")),
        _ => Error::unreachable(format!("{place} answered {code}, which is no document")),
    };
    let mut error = error.with_status(code);
    error.retry_after = asked.filter(|_| error.recoverable);
    error.into()
}

/// The wait of a `Retry-After` header, which has seconds or a date.
fn retry_after(headers: &HeaderMap, now: At) -> Option<Duration> {
    let value = headers.get("retry-after")?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let at = httpdate::parse_http_date(value).ok()?;
    let at = at.duration_since(std::time::UNIX_EPOCH).ok()?;
    let now = Duration::from_micros(u64::try_from(now.0).unwrap_or(0));
    Some(at.saturating_sub(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_are_spread() {
        let check = |failures: u32, fraction: f64, millis: u64| {
            assert_eq!(wait(failures, fraction), Duration::from_millis(millis));
        };
        check(1, 0.0, 500);
        check(1, 1.0, 1_000);
        check(2, 0.5, 1_500);
        check(4, 0.0, 4_000);
        check(30, 1.0, 60_000);
    }

    #[test]
    fn every_status_has_its_meaning() {
        let url = Url::parse("https://a.example/x?secret=1").unwrap();
        let check = |status: u16, code: Code, again: bool| {
            let status = StatusCode::from_u16(status).unwrap();
            let trouble = refused(&url, status, &HeaderMap::new(), At(0));
            assert_eq!((trouble.error.code, trouble.again), (code, again), "{status}");
            assert!(!trouble.error.message.contains("secret"), "{}", trouble.error);
        };
        for status in [401, 403, 407] {
            check(status, Code::Auth, false);
        }
        for status in [404, 410] {
            check(status, Code::NotFound, false);
        }
        for status in [408, 425, 429, 500, 502, 503, 504, 599] {
            check(status, Code::Unreachable, true);
        }
        for status in [204, 206, 304, 400, 405, 406, 414, 418, 451] {
            check(status, Code::Unreachable, false);
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = At(784_111_777_000_000);
        let check = |value: &str, seconds: Option<u64>| {
            let headers = HeaderMap::from_iter([(
                reqwest::header::RETRY_AFTER,
                reqwest::header::HeaderValue::from_str(value).unwrap(),
            )]);
            assert_eq!(retry_after(&headers, now), seconds.map(Duration::from_secs), "{value}");
        };
        check("3", Some(3));
        check("Sun, 06 Nov 1994 08:49:47 GMT", Some(10));
        check("Sun, 06 Nov 1994 08:00:00 GMT", Some(0));
        check("-1", None);
        check("soon", None);
    }
}
