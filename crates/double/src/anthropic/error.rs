//! Writes errors in Anthropic's format.

use serde_json::json;

use crate::{
    fields::Wrong,
    id::Serial,
    refusal::{Kind, Refusal},
    reply::Reply,
};

pub(crate) fn refuse(refusal: &Refusal, model: &str, serial: Serial) -> Reply {
    let (kind, message) = words(&refusal.kind, model);
    // An empty budget is a bad request here.
    let is_quota = refusal.kind == Kind::Quota;
    let status = if is_quota { refusal.status.unwrap_or(400) } else { refusal.status() };
    let message = refusal.message.clone().unwrap_or(message);
    let id = serial.id("req_", "request", 24);
    let error = json!({ "type": kind, "message": message });
    let body = json!({ "type": "error", "error": error, "request_id": id });
    let mut reply = Reply::json(status, &body).with("request-id", id);
    if let Kind::RateLimited(after) = &refusal.kind
        && let Some(value) = after.header()
    {
        reply = reply.with("retry-after", value);
    }
    reply
}

fn words(kind: &Kind, model: &str) -> (&'static str, String) {
    let (kind, message) = match kind {
        Kind::BadRequest => ("invalid_request_error", "The request is invalid."),
        Kind::KeyMissing => ("authentication_error", "x-api-key header is required"),
        Kind::KeyUnknown | Kind::Unauthorized => ("authentication_error", "invalid x-api-key"),
        Kind::ModelUnknown => return ("not_found_error", format!("model: {model}")),
        Kind::NoRoute => ("not_found_error", "Not found"),
        Kind::WrongMethod => ("invalid_request_error", "Method Not Allowed"),
        Kind::TooLarge => ("request_too_large", "Request exceeds the maximum size"),
        Kind::RateLimited(_) => (
            "rate_limit_error",
            "This request would exceed your organization's rate limit of 50 requests per minute.",
        ),
        Kind::Quota => (
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & \
             Billing to upgrade or purchase credits.",
        ),
        Kind::ServerError => ("api_error", "Internal server error"),
        Kind::Overloaded => ("overloaded_error", "Overloaded"),
    };
    (kind, message.to_owned())
}

/// A member of the wrong type.
pub(super) fn wrong(wrong: &Wrong) -> Refusal {
    if wrong.path.is_empty() {
        return Refusal::bad("The request body is not valid JSON");
    }
    let wanted = match wrong.wanted {
        "an object" => "valid dictionary",
        "an array" => "valid list",
        "a string" => "valid string",
        "a boolean" => "valid boolean",
        "an integer" => "valid integer",
        "a number" => "valid number",
        other => other,
    };
    Refusal::bad(format!("{}: Input should be a {wanted}", dotted(&wrong.path)))
}

pub(super) fn missing(path: &str) -> Refusal {
    Refusal::bad(format!("{}: Field required", dotted(path)))
}

/// `messages[0].role` is `messages.0.role` here.
pub(super) fn dotted(path: &str) -> String {
    path.replace('[', ".").replace(']', "")
}
