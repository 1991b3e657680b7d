//! Why a provider gives no answer: its statuses and its error objects, as [`Trouble`].
//!
//! The status of HTTP decides, corrected by what the error object says where providers use a status
//! for two things. An error that comes in the middle of a stream has no status: its kind stands for
//! one. What the provider says is taken over as it is; the caller bounds it and takes secrets out.

use std::time::Duration;

use consign_contracts::{
    authoring::ErrorCode,
    json::{self, Json},
};

use super::text_at;
use crate::{Provider, Trouble};

/// A wait that is longer is taken for this.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// What an answer with a status other than 2xx means. `wait` is what its headers say.
#[must_use]
pub fn refusal(provider: Provider, status: u16, wait: Option<Duration>, body: &[u8]) -> Trouble {
    let limits = json::Limits { bytes: body.len(), depth: 32 };
    let tree = json::parse_within(body, limits).unwrap_or_default();
    let said = ErrorBody::of(&tree);
    let text = match said.message {
        Some(message) => message.to_owned(),
        None => String::from_utf8_lossy(body).trim().to_owned(),
    };
    said.trouble(provider, status, wait, &text).with_status(status)
}

/// The error in something that should have been an answer.
pub(super) fn inside(provider: Provider, tree: &Json<'_>) -> Option<Trouble> {
    tree.get("error").filter(|error| **error != Json::Null)?;
    let said = ErrorBody::of(tree);
    let text = said.message.unwrap_or("an error without a message");
    Some(said.trouble(provider, said.status(), None, text))
}

/// An error object, of whichever dialect.
#[derive(Default)]
struct ErrorBody<'t> {
    message: Option<&'t str>,
    /// OpenAI's `type` and `code`, Anthropic's `type`, Gemini's `status` and `reason`.
    kinds: Vec<&'t str>,
    code: Option<u64>,
    wait: Option<Duration>,
}

impl<'t> ErrorBody<'t> {
    fn of(tree: &'t Json<'_>) -> Self {
        // Gemini wraps it into an array at times.
        let tree = tree.as_array().and_then(<[_]>::first).unwrap_or(tree);
        let Some(error) = tree.get("error") else {
            // xAI and others have no object of that name.
            let message = ["/message", "/detail"].into_iter().find_map(|at| text_at(tree, at));
            return Self { message, ..Self::default() };
        };
        if let Some(message) = error.as_str() {
            let kinds = text_at(tree, "/code").into_iter().collect();
            return Self { message: Some(message), kinds, ..Self::default() };
        }
        let details = error.get("details").and_then(Json::as_array).unwrap_or_default();
        let own = ["/type", "/code", "/status"].into_iter().filter_map(|at| text_at(error, at));
        let reasons = details.iter().take(16).filter_map(|detail| text_at(detail, "/reason"));
        Self {
            message: text_at(error, "/message"),
            kinds: own.chain(reasons).collect(),
            code: error.get("code").and_then(|code| code.as_number()?.as_u64()),
            wait: details
                .iter()
                .take(16)
                .find_map(|detail| seconds(text_at(detail, "/retryDelay")?.strip_suffix('s')?)),
        }
    }

    fn is(&self, kinds: &[&str]) -> bool {
        self.kinds.iter().any(|kind| kinds.contains(kind))
    }

    /// The status that an error in a stream would have had.
    fn status(&self) -> u16 {
        let known: [(u16, &[&str]); 5] = [
            (401, &["authentication_error", "invalid_api_key", "UNAUTHENTICATED"]),
            (403, &["permission_error", "PERMISSION_DENIED"]),
            (404, &["not_found_error", "model_not_found", "NOT_FOUND"]),
            (
                429,
                &[
                    "rate_limit_error",
                    "rate_limit_exceeded",
                    "insufficient_quota",
                    "RESOURCE_EXHAUSTED",
                    "tokens",
                    "requests",
                ],
            ),
            (
                400,
                &[
                    "invalid_request_error",
                    "request_too_large",
                    "billing_error",
                    "INVALID_ARGUMENT",
                    "FAILED_PRECONDITION",
                ],
            ),
        ];
        let code = self.code.and_then(|code| u16::try_from(code).ok());
        let kind = known.iter().find(|(_, kinds)| self.is(kinds)).map(|(status, _)| *status);
        code.filter(|code| (400..600).contains(code)).or(kind).unwrap_or(500)
    }

    fn trouble(
        &self,
        provider: Provider,
        status: u16,
        wait: Option<Duration>,
        text: &str,
    ) -> Trouble {
        let what = format!("{provider} refused ({status}): {text}");
        let what = if text.is_empty() { format!("{provider} refused ({status})") } else { what };
        let wait = wait.or(self.wait).map(|wait| wait.min(LONGEST_WAIT));
        // Google and xAI call a wrong key a bad request.
        let bad_key = self.is(&["API_KEY_INVALID", "invalid_api_key"])
            || status == 400 && text.starts_with("Incorrect API key");
        match status {
            _ if bad_key => Trouble::lasting(ErrorCode::AiAuthError, what),
            _ if self.is(&["model_not_found"]) => {
                Trouble::lasting(ErrorCode::AiModelNotFound, what)
            }
            401 | 403 => Trouble::lasting(ErrorCode::AiAuthError, what),
            404 => Trouble::lasting(ErrorCode::AiModelNotFound, what),
            // An empty budget does not fill by waiting.
            429 if self.is(&["insufficient_quota"]) => {
                Trouble::lasting(ErrorCode::AiRateLimited, what)
            }
            429 => Trouble::passing(ErrorCode::AiRateLimited, what).with_retry_after(wait),
            408 | 409 | 425 | 500.. => {
                Trouble::passing(ErrorCode::AiProviderError, what).with_retry_after(wait)
            }
            _ => Trouble::lasting(ErrorCode::AiProviderError, what),
        }
    }
}

/// Seconds with a fraction, as long as they make sense.
fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds.min(LONGEST_WAIT.as_secs_f64())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_and_each_kind_of_error_has_its_code() {
        use ErrorCode as E;
        let check = |provider, status, body: &str, code: E, passing, wait: Option<u64>| {
            let trouble = refusal(provider, status, None, body.as_bytes());
            let waits = trouble.retry_after.map(|wait| wait.as_secs());
            let all = (trouble.code, trouble.passing, waits, trouble.status);
            assert_eq!(all, (code, passing, wait, Some(status)), "{status} {body}");
        };
        let (openai, google, xai) = (Provider::OpenAi, Provider::Google, Provider::Xai);
        check(openai, 401, "{}", E::AiAuthError, false, None);
        check(openai, 403, "", E::AiAuthError, false, None);
        check(
            openai,
            403,
            r#"{"error":{"code":"model_not_found"}}"#,
            E::AiModelNotFound,
            false,
            None,
        );
        check(openai, 404, "no such page", E::AiModelNotFound, false, None);
        check(openai, 429, "{}", E::AiRateLimited, true, None);
        check(
            openai,
            429,
            r#"{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}"#,
            E::AiRateLimited,
            false,
            None,
        );
        check(
            google,
            429,
            r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{},{"retryDelay":"34.5s"}]}}"#,
            E::AiRateLimited,
            true,
            Some(34),
        );
        check(
            google,
            429,
            r#"[{"error":{"details":[{"retryDelay":"99999999s"}]}}]"#,
            E::AiRateLimited,
            true,
            Some(86400),
        );
        check(
            google,
            400,
            r#"{"error":{"code":400,"details":[{"reason":"API_KEY_INVALID"}]}}"#,
            E::AiAuthError,
            false,
            None,
        );
        check(
            xai,
            400,
            r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided"}"#,
            E::AiAuthError,
            false,
            None,
        );
        for status in [301, 400, 402, 405, 413, 415, 422] {
            check(openai, status, "{}", E::AiProviderError, false, None);
        }
        for status in [408, 409, 500, 502, 503, 504, 529] {
            check(openai, status, "<html>", E::AiProviderError, true, None);
        }
    }

    #[test]
    fn an_error_in_a_stream_is_what_its_status_would_have_been() {
        use ErrorCode as E;
        let check = |body: &str, code: Option<(E, bool)>| {
            let tree = json::parse(body.as_bytes()).unwrap();
            let trouble = inside(Provider::Anthropic, &tree);
            assert_eq!(trouble.map(|trouble| (trouble.code, trouble.passing)), code, "{body}");
        };
        let anthropic = |kind: &str| format!(r#"{{"type":"error","error":{{"type":"{kind}"}}}}"#);
        check(&anthropic("overloaded_error"), Some((E::AiProviderError, true)));
        check(&anthropic("api_error"), Some((E::AiProviderError, true)));
        check(&anthropic("rate_limit_error"), Some((E::AiRateLimited, true)));
        check(&anthropic("authentication_error"), Some((E::AiAuthError, false)));
        check(&anthropic("not_found_error"), Some((E::AiModelNotFound, false)));
        check(&anthropic("invalid_request_error"), Some((E::AiProviderError, false)));
        check(r#"{"error":{"type":"server_error"}}"#, Some((E::AiProviderError, true)));
        check(r#"{"error":{"code":503,"status":"UNAVAILABLE"}}"#, Some((E::AiProviderError, true)));
        check(r#"{"error":"it broke"}"#, Some((E::AiProviderError, true)));
        check(r#"{"error":{"code":7}}"#, Some((E::AiProviderError, true)));
        check(r#"{"error":null}"#, None);
        check(r#"[1]"#, None);
    }

    #[test]
    fn the_providers_words_are_taken_over() {
        let check = |body: &str, what: &str| {
            assert_eq!(refusal(Provider::OpenAi, 400, None, body.as_bytes()).what, what);
        };
        check(r#"{"error":{"message":"too long"}}"#, "openai refused (400): too long");
        check(r#"{"error":"too long"}"#, "openai refused (400): too long");
        check(r#"{"detail":"too long"}"#, "openai refused (400): too long");
        check("  plain text\n", "openai refused (400): plain text");
        check("", "openai refused (400)");
    }
}
