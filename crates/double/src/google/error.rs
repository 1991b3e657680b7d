//! Writes errors in Google's format.

use serde_json::{Value, json};

use crate::{
    fields::Wrong,
    refusal::{Kind, Refusal, RetryAfter},
    reply::Reply,
};

pub(crate) fn refuse(refusal: &Refusal, model: &str) -> Reply {
    // An unknown key is a bad argument here.
    let is_key = refusal.kind == Kind::KeyUnknown;
    let status = if is_key { refusal.status.unwrap_or(400) } else { refusal.status() };
    let (word, message) = words(&refusal.kind, model);
    let message = refusal.message.clone().unwrap_or(message);
    let mut error = json!({ "code": status, "message": message, "status": word });
    let details = details(&refusal.kind);
    if !details.is_empty() {
        error["details"] = details.into();
    }
    let mut reply = Reply::whole(
        status,
        "application/json; charset=UTF-8",
        json!({ "error": error }).to_string(),
    );
    if let Kind::RateLimited(after) = &refusal.kind
        && let Some(value) = after.header()
    {
        reply = reply.with("retry-after", value);
    }
    reply
}

fn details(kind: &Kind) -> Vec<Value> {
    match kind {
        Kind::KeyUnknown => vec![json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "API_KEY_INVALID",
            "domain": "googleapis.com",
            "metadata": { "service": "generativelanguage.googleapis.com" },
        })],
        // Google says when to come back in the body.
        Kind::RateLimited(RetryAfter::Seconds(seconds) | RetryAfter::DateIn(seconds)) => {
            vec![json!({
                "@type": "type.googleapis.com/google.rpc.RetryInfo",
                "retryDelay": format!("{seconds}s"),
            })]
        }
        Kind::Quota => vec![json!({
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{
                "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
                "quotaValue": "20",
            }],
        })],
        Kind::BadRequest
        | Kind::KeyMissing
        | Kind::Unauthorized
        | Kind::ModelUnknown
        | Kind::NoRoute
        | Kind::WrongMethod
        | Kind::TooLarge
        | Kind::RateLimited(RetryAfter::Unsaid | RetryAfter::Verbatim(_))
        | Kind::ServerError
        | Kind::Overloaded => Vec::new(),
    }
}

fn words(kind: &Kind, model: &str) -> (&'static str, String) {
    let (word, message) = match kind {
        Kind::BadRequest | Kind::TooLarge => {
            ("INVALID_ARGUMENT", "Request contains an invalid argument.")
        }
        Kind::KeyMissing => (
            "UNAUTHENTICATED",
            "Method doesn't allow unregistered callers (callers without established identity). \
             Please use API Key or other form of API consumer identity to call this API.",
        ),
        Kind::Unauthorized => (
            "UNAUTHENTICATED",
            "Request had invalid authentication credentials. Expected OAuth 2 access token, login \
             cookie or other valid authentication credential.",
        ),
        Kind::KeyUnknown => ("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
        Kind::ModelUnknown => {
            let told = format!(
                "models/{model} is not found for API version v1beta, or is not supported for \
                 generateContent. Call ListModels to see the list of available models and their \
                 supported methods."
            );
            return ("NOT_FOUND", told);
        }
        Kind::NoRoute => ("NOT_FOUND", "Requested entity was not found."),
        Kind::WrongMethod => ("UNIMPLEMENTED", "Method not allowed."),
        Kind::RateLimited(_) => {
            ("RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).")
        }
        Kind::Quota => (
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        Kind::ServerError => {
            ("INTERNAL", "An internal error has occurred. Please retry or report.")
        }
        Kind::Overloaded => ("UNAVAILABLE", "The model is overloaded. Please try again later."),
    };
    (word, message.to_owned())
}

/// A member of the wrong type.
pub(super) fn wrong(wrong: &Wrong) -> Refusal {
    if wrong.path.is_empty() {
        return Refusal::bad("Invalid JSON payload received. Unable to parse the request.");
    }
    let Wrong { path, wanted, found } = wrong;
    Refusal::bad(format!("Invalid value at '{path}': expected {wanted}, found {found}."))
}

/// A member that is not in the interface.
pub(super) fn stranger(name: &str, within: &str) -> Refusal {
    let name: String = name.chars().take(80).collect();
    let at = if within.is_empty() { String::new() } else { format!(" at '{within}'") };
    Refusal::bad(format!(
        "Invalid JSON payload received. Unknown name \"{name}\"{at}: Cannot find field."
    ))
}
