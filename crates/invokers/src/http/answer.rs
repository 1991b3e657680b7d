//! Reads the answer of an HTTP agent up to a limit, and turns its status into a fault.

use std::time::{Duration, SystemTime};

use consign_engine::{Effect, Fault};
use reqwest::{Response, StatusCode, header::HeaderMap};

use crate::outside::{Heard, Secrets, first};

/// The most bytes of a refusal that are kept.
const EXCERPT: usize = 2 << 10;
/// A longer `Retry-After` is shortened to this.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);

/// The server sent more than the limit.
pub(crate) struct TooMuch;

/// The body of an answer, up to a limit.
pub(crate) async fn read(
    mut response: Response,
    most: u64,
) -> Result<Result<Vec<u8>, TooMuch>, reqwest::Error> {
    if response.content_length().is_some_and(|length| length > most) {
        return Ok(Err(TooMuch));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if (body.len() + chunk.len()) as u64 > most {
            return Ok(Err(TooMuch));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Ok(body))
}

/// The beginning of the body of a refusal.
pub(super) async fn excerpt(mut response: Response, secrets: &Secrets) -> String {
    let mut heard = Heard { bytes: Vec::new(), cut: true };
    while heard.bytes.len() < 2 * EXCERPT {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                heard.bytes.extend_from_slice(&chunk[..chunk.len().min(2 * EXCERPT)]);
            }
            Ok(None) => {
                heard.cut = false;
                break;
            }
            Err(_) => break,
        }
    }
    first(&heard, EXCERPT, secrets)
}

/// Whether a status leaves it unknown if the server did the work: it neither refuses nor says that
/// it is busy.
pub(super) fn leaves_open(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 500..=502 | 504..=599)
}

/// The fault for a status other than success.
pub(super) fn fault(status: StatusCode, headers: &HeaderMap, said: &str, effect: Effect) -> Fault {
    let code = status.as_u16();
    let fault = match code {
        408 | 425 | 429 | 500..=599 => {
            let answered = format!("the agent's server answered {status}");
            match effect {
                Effect::Keyed | Effect::Unsafe if leaves_open(status) => {
                    Fault::outcome_unknown("HTTP_AGENT_FAILED", answered)
                }
                Effect::Pure | Effect::Idempotent | Effect::Keyed | Effect::Unsafe => {
                    let message = format!("{answered}; trying again may help");
                    Fault::transient("HTTP_AGENT_FAILED", message)
                }
            }
        }
        300..=399 => {
            let message = format!(
                "the agent's server answered {status}; redirects are not followed, so set the URL \
                 that it redirects to"
            );
            Fault::permanent("HTTP_AGENT_REFUSED", message)
        }
        _ => {
            let message = format!(
                "the agent's server answered {status}; the beginning of its answer is in the details"
            );
            Fault::permanent("HTTP_AGENT_REFUSED", message)
        }
    };
    let details = serde_json::json!({ "status": code, "body": said });
    let fault = fault.with_details(consign_engine::Data::of(&details));
    match retry_after(headers, SystemTime::now()) {
        Some(wait) if fault.recoverable => fault.with_retry_after(wait),
        _ => fault,
    }
}

/// The wait of a `Retry-After` header, which has seconds or a date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get("retry-after")?.to_str().ok()?.trim();
    let wait = match value.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => httpdate::parse_http_date(value).ok()?.duration_since(now).unwrap_or_default(),
    };
    Some(wait.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use consign_engine::FaultClass::{self, OutcomeUnknown, Permanent, Transient};

    use super::*;

    #[test]
    fn a_status_says_whether_to_try_again() {
        let check = |status: u16, effect: Effect, code: &str, class: FaultClass| {
            let status = StatusCode::from_u16(status).unwrap();
            let fault = fault(status, &HeaderMap::new(), "no", effect);
            assert_eq!((fault.code.as_ref(), fault.class), (code, class), "{status} {effect:?}");
        };
        for status in [408, 425, 429, 500, 502, 503, 504, 529] {
            check(status, Effect::Pure, "HTTP_AGENT_FAILED", Transient);
            check(status, Effect::Idempotent, "HTTP_AGENT_FAILED", Transient);
        }
        for effect in [Effect::Keyed, Effect::Unsafe] {
            for status in [425, 429, 503] {
                check(status, effect, "HTTP_AGENT_FAILED", Transient);
            }
            for status in [408, 500, 502, 504, 529] {
                check(status, effect, "HTTP_AGENT_FAILED", OutcomeUnknown);
            }
            for status in [301, 302, 400, 401, 404, 422] {
                check(status, effect, "HTTP_AGENT_REFUSED", Permanent);
            }
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_and_never_too_long() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let check = |value: &str, seconds: Option<u64>| {
            let headers = HeaderMap::from_iter([(
                reqwest::header::RETRY_AFTER,
                reqwest::header::HeaderValue::from_str(value).unwrap(),
            )]);
            assert_eq!(retry_after(&headers, now), seconds.map(Duration::from_secs), "{value}");
        };
        check("3", Some(3));
        check(" 0 ", Some(0));
        check("Sun, 06 Nov 1994 08:49:47 GMT", Some(10));
        check("Sun, 06 Nov 1994 08:00:00 GMT", Some(0));
        check("99999999999", Some(24 * 3600));
        check("-1", None);
        check("soon", None);
    }
}
