//! What an answer other than success means.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::{StatusCode, header::HeaderMap};
use serde::Deserialize;

use super::super::said::{is_conflict, is_empty_repository, said};
use crate::{Error, Secret};

/// What GitHub asks for when it names no time.
const A_MINUTE: Duration = Duration::from_secs(60);
/// The limit is counted by the hour.
const AN_HOUR: Duration = Duration::from_secs(3600);

#[derive(Default, Deserialize)]
struct Refusal {
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: Vec<serde_json::Value>,
}

pub(super) fn refusal(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    token: Option<&Secret>,
) -> Error {
    let refusal: Refusal = serde_json::from_slice(body).unwrap_or_default();
    let errors: Vec<String> = refusal.errors.iter().map(words).collect();
    let text = format!("{} {}", refusal.message, errors.join(" "));
    let why = || format!("GitHub answered {}: {}", status.as_u16(), said(&text, token));
    match status.as_u16() {
        401 => Error::BadCredentials,
        429 => Error::RateLimited { retry_after: wait(headers).or(Some(A_MINUTE)) },
        403 if is_limit(headers, &text) => {
            Error::RateLimited { retry_after: wait(headers).or(Some(A_MINUTE)) }
        }
        403 | 451 => Error::Forbidden { why: why() },
        404 | 410 => Error::not_found("the repository, or what was asked for in it,"),
        409 if is_empty_repository(&text) => Error::not_found("a commit"),
        409 => Error::conflict(why()),
        422 if is_conflict(&text) => Error::conflict(why()),
        408 | 425 | 500..=599 => Error::unreachable(why()),
        400..=499 => Error::refused(why()),
        _ => Error::invalid(why()),
    }
}

fn words(error: &serde_json::Value) -> String {
    let text = error.as_str().or_else(|| error.get("message")?.as_str());
    text.unwrap_or_default().to_owned()
}

fn is_limit(headers: &HeaderMap, text: &str) -> bool {
    let text = text.to_lowercase();
    number(headers, "x-ratelimit-remaining") == Some(0)
        || headers.contains_key("retry-after")
        || text.contains("rate limit")
        || text.contains("abuse detection")
}

/// How long GitHub asks us to wait; never more than the hour that it counts by.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    let asked = number(headers, "retry-after");
    let until_reset = || {
        let spent = number(headers, "x-ratelimit-remaining") == Some(0);
        let reset = number(headers, "x-ratelimit-reset").filter(|_| spent)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
        Some(reset.saturating_sub(now).max(1))
    };
    let seconds = asked.or_else(until_reset)?;
    Some(Duration::from_secs(seconds).min(AN_HOUR))
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, headers: &[(&'static str, &str)], body: &str, expected: &str) {
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            all.insert(*name, value.parse().unwrap());
        }
        let status = StatusCode::from_u16(status).unwrap();
        let token = Secret::new("s3cret".to_owned());
        let error = refusal(status, &all, body.as_bytes(), Some(&token));
        assert!(!error.to_string().contains("s3cret"), "{error}");
        assert!(format!("{error:?}").starts_with(expected), "{error:?} is not {expected}");
    }

    #[test]
    fn every_refusal_has_its_meaning() {
        check(401, &[], r#"{"message":"Bad credentials s3cret"}"#, "BadCredentials");
        check(403, &[], r#"{"message":"Resource not accessible s3cret"}"#, "Forbidden");
        let spent = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "9999999999")];
        check(403, &spent, "{}", "RateLimited { retry_after: Some(3600s) }");
        check(429, &[("retry-after", "7")], "", "RateLimited { retry_after: Some(7s) }");
        let secondary = r#"{"message":"You have exceeded a secondary rate limit."}"#;
        check(403, &[], secondary, "RateLimited { retry_after: Some(60s) }");
        check(403, &[("retry-after", "30")], "<html>", "RateLimited { retry_after: Some(30s) }");
        check(404, &[], "", "NotFound");
        check(409, &[], r#"{"message":"README.md does not match abc"}"#, "Conflict");
        check(409, &[], r#"{"message":"Git Repository is empty."}"#, "NotFound");
        check(422, &[], r#"{"message":"Reference already exists"}"#, "Conflict");
        let pull = r#"{"message":"Validation Failed","errors":[{"message":"A pull request already exists for o:b."}]}"#;
        check(422, &[], pull, "Conflict");
        let none = r#"{"message":"Validation Failed","errors":["No commits between main and b"]}"#;
        check(422, &[], none, "Refused");
        check(500, &[], "s3cret", "Unreachable");
        check(302, &[], "", "InvalidAnswer");
    }
}
