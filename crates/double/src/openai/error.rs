//! Writes errors in OpenAI's format. xAI has a format of its own; Ollama has types of its own.

use consign_models::Provider;
use serde_json::{Value, json};

use crate::{
    fields::Wrong,
    id::Serial,
    refusal::{Kind, Refusal},
    reply::Reply,
};

/// An error response.
pub(crate) fn refuse(provider: Provider, refusal: &Refusal, model: &str, serial: Serial) -> Reply {
    let status = match (provider, &refusal.kind) {
        // xAI takes an unknown key for a bad argument.
        (Provider::Xai, Kind::KeyUnknown) => refusal.status.unwrap_or(400),
        _ => refusal.status(),
    };
    let message =
        refusal.message.clone().unwrap_or_else(|| message(provider, &refusal.kind, model));
    let body = if provider == Provider::Xai {
        json!({ "code": xai_code(status), "error": message })
    } else {
        wrap(provider, &message, kind(provider, refusal, status), refusal)
    };
    let mut reply =
        Reply::json(status, &body).with("x-request-id", serial.id("req_", "request", 32));
    if let Kind::RateLimited(after) = &refusal.kind
        && let Some(value) = after.header()
    {
        reply = reply.with("retry-after", value);
    }
    reply
}

fn wrap(provider: Provider, message: &str, kind: &str, refusal: &Refusal) -> Value {
    let code = refusal.code.or(match refusal.kind {
        Kind::KeyUnknown | Kind::Unauthorized => Some("invalid_api_key"),
        Kind::ModelUnknown => Some("model_not_found"),
        Kind::RateLimited(_) => Some("rate_limit_exceeded"),
        Kind::Quota => Some("insufficient_quota"),
        Kind::WrongMethod => Some("method_not_supported"),
        Kind::BadRequest
        | Kind::KeyMissing
        | Kind::NoRoute
        | Kind::TooLarge
        | Kind::ServerError
        | Kind::Overloaded => None,
    });
    let code = code.filter(|_| provider != Provider::Ollama);
    json!({ "error": {
        "message": message, "type": kind, "param": refusal.param, "code": code,
    }})
}

fn kind(provider: Provider, refusal: &Refusal, status: u16) -> &'static str {
    if provider == Provider::Ollama {
        return match status {
            400 => "invalid_request_error",
            404 => "not_found_error",
            _ => "api_error",
        };
    }
    match refusal.kind {
        Kind::RateLimited(_) => "requests",
        Kind::Quota => "insufficient_quota",
        Kind::ServerError | Kind::Overloaded => "server_error",
        Kind::BadRequest
        | Kind::KeyMissing
        | Kind::KeyUnknown
        | Kind::Unauthorized
        | Kind::ModelUnknown
        | Kind::NoRoute
        | Kind::WrongMethod
        | Kind::TooLarge => "invalid_request_error",
    }
}

fn xai_code(status: u16) -> &'static str {
    match status {
        400 => "Client specified an invalid argument",
        401 => "Unauthenticated",
        403 => "The caller does not have permission to execute the specified operation",
        404 => "Some requested entity was not found",
        429 => "Some resource has been exhausted",
        503 | 529 => "The service is currently unavailable",
        _ => "Internal error",
    }
}

/// The provider's own message. It never repeats a key, not even in part.
fn message(provider: Provider, kind: &Kind, model: &str) -> String {
    match kind {
        Kind::BadRequest => "The request is invalid.".to_owned(),
        Kind::KeyMissing => {
            "You didn't provide an API key. You need to provide your API key in an \
             Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
                .to_owned()
        }
        Kind::KeyUnknown | Kind::Unauthorized => "Incorrect API key provided.".to_owned(),
        Kind::ModelUnknown if provider == Provider::Ollama => {
            format!("model \"{model}\" not found, try pulling it first")
        }
        Kind::ModelUnknown => {
            format!("The model `{model}` does not exist or you do not have access to it.")
        }
        Kind::NoRoute => "Invalid URL".to_owned(),
        Kind::WrongMethod => "Not allowed with this method.".to_owned(),
        Kind::TooLarge => "The request is larger than 32 MiB.".to_owned(),
        Kind::RateLimited(_) => format!(
            "Rate limit reached for {model} in organization org-double on requests per min (RPM): \
             Limit 3, Used 3, Requested 1."
        ),
        Kind::Quota => {
            "You exceeded your current quota, please check your plan and billing details."
                .to_owned()
        }
        Kind::ServerError => {
            "The server had an error while processing your request. Sorry about that!".to_owned()
        }
        Kind::Overloaded => "The engine is currently overloaded, please try again later".to_owned(),
    }
}

/// A member of the wrong type.
pub(super) fn wrong(wrong: &Wrong) -> Refusal {
    if wrong.path.is_empty() {
        return Refusal::bad(
            "We could not parse the JSON body of your request. (HINT: This likely means you aren't \
             using your HTTP library correctly. The OpenAI API expects a JSON payload.)",
        );
    }
    let Wrong { path, wanted, found } = wrong;
    Refusal::bad(format!("Invalid type for '{path}': expected {wanted}, but got {found} instead."))
        .about(path.clone())
        .coded("invalid_type")
}

pub(super) fn missing(path: String) -> Refusal {
    Refusal::bad(format!("Missing required parameter: '{path}'."))
        .about(path)
        .coded("missing_required_parameter")
}

pub(super) fn invalid(path: String, found: &str, supported: &[&str]) -> Refusal {
    let supported: Vec<String> = supported.iter().map(|value| format!("'{value}'")).collect();
    let found: String = found.chars().take(80).collect();
    Refusal::bad(format!(
        "Invalid value: '{found}'. Supported values are: {}.",
        supported.join(", ")
    ))
    .about(path)
    .coded("invalid_value")
}
