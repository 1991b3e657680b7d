//! What a tool's error means. The server says it in words only.

use std::time::Duration;

use super::super::said::{is_conflict, is_empty_repository, said};
use crate::{Error, Secret};

const A_MINUTE: Duration = Duration::from_secs(60);

/// Reads the words of the server. What they do not tell is taken for a broken connection: the call may
/// be made again, as every call looks first.
pub(super) fn refusal(text: &str, token: Option<&Secret>) -> Error {
    let why = || format!("the MCP server of GitHub answered: {}", said(text, token));
    let lower = text.to_lowercase();
    let has = |known: &[&str]| known.iter().any(|known| lower.contains(known));
    match () {
        () if has(&["rate limit", "abuse detection", ": 429 "]) => {
            Error::RateLimited { retry_after: Some(A_MINUTE) }
        }
        () if has(&["authentication failed", "bad credentials", ": 401 ", "answered 401"]) => {
            Error::BadCredentials
        }
        () if is_empty_repository(text) => Error::not_found("a commit"),
        () if lower.starts_with("conflict:") || has(&[": 409 "]) => Error::conflict(why()),
        () if lower.starts_with("validation error:") || has(&[": 422 "]) => {
            if is_conflict(text) {
                Error::conflict(why())
            } else {
                Error::refused(why())
            }
        }
        () if lower.starts_with("not found:") || has(&[": 404 "]) => {
            Error::not_found("the repository, or what was asked for in it,")
        }
        () if lower.starts_with("permission denied:") || has(&[": 403 ", "answered 403"]) => {
            Error::Forbidden { why: why() }
        }
        () if has(&["unknown tool", "tool not found"]) => {
            Error::Unsupported { what: "a tool that this MCP server lacks" }
        }
        () if lower.starts_with("invalid input:") => Error::invalid(why()),
        () => Error::unreachable(why()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_server_are_understood() {
        let check = |text: &str, expected: &str| {
            let token = Secret::new("s3cret".to_owned());
            let error = refusal(&format!("{text} s3cret"), Some(&token));
            assert!(!error.to_string().contains("s3cret"), "{error}");
            assert!(format!("{error:?}").starts_with(expected), "{error:?} is not {expected}");
        };
        check("Not Found: Resource not found: Not Found", "NotFound");
        check("Authentication Failed: Bad credentials", "BadCredentials");
        check("Permission Denied: Resource not accessible", "Forbidden");
        check("Permission Denied: API rate limit exceeded for user", "RateLimited");
        check("Rate Limit Exceeded: slow down\nResets at: 2030-01-01", "RateLimited");
        check("Conflict: README.md does not match abc", "Conflict");
        check("Conflict: Git Repository is empty.", "NotFound");
        check("Validation Error: Reference already exists\nDetails: {}", "Conflict");
        check("Validation Error: Validation Failed\nDetails: {\"x\":1}", "Refused");
        check("GitHub API Error: Internal Server Error", "Unreachable");
        check("fetch failed", "Unreachable");
        check("terminated", "Unreachable");
        check("Invalid input: [{\"code\":\"invalid_type\"}]", "InvalidAnswer");
        check("failed to get file contents: GET x: 404 Not Found []", "NotFound");
        check("failed to create branch: POST x: 422 Reference already exists []", "Conflict");
        check("Client error: the server answered 401", "BadCredentials");
        check("Unknown tool: push", "Unsupported");
    }
}
