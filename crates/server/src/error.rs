//! What goes wrong, as HTTP: the one table of codes and statuses.
//!
//! A handler returns a [`Problem`]; the gate writes it as contract `authoring/error` with the id of the
//! request. What a problem of status 500 says to people stays here, with its [`Incident`](crate::Incident):
//! it may name files and internals.

use std::{borrow::Cow, sync::Arc};

use axum::{
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use consign_contracts::{
    Breach,
    json::{Json, Malformed},
};
use consign_engine::{
    Error, Fault, FaultClass,
    store::{self, Refusal},
};

use crate::{Refused, view::object};

/// Every code that this server knows, by status. A fault with another code is 422, or 503 if trying
/// again may help.
pub(crate) const TABLE: &[(&str, u16)] = &[
    ("MALFORMED", 400),
    ("VALIDATION_ERROR", 400),
    ("UNAUTHORIZED", 401),
    ("FORBIDDEN", 403),
    ("AGENT_NOT_FOUND", 404),
    ("INTERACTION_NOT_FOUND", 404),
    ("NOT_FOUND", 404),
    ("PIPELINE_NOT_FOUND", 404),
    ("RUN_NOT_FOUND", 404),
    ("STAGE_NOT_FOUND", 404),
    ("WORKFLOW_NOT_FOUND", 404),
    ("METHOD_NOT_ALLOWED", 405),
    ("ALREADY_ANSWERED", 409),
    ("DEADLINE_PASSED", 409),
    ("INVALID_STATE", 409),
    ("LIMIT_OWNER", 409),
    ("NOT_DECLINABLE", 409),
    ("NOT_PENDING", 409),
    ("RUN_ELSEWHERE", 409),
    ("RUN_EXISTS", 409),
    ("RUN_HELD", 409),
    ("RUN_MOVED", 409),
    ("WITHDRAWN", 409),
    ("WORKFLOW_VERSION_MISSING", 409),
    ("ANSWER_TOO_LARGE", 413),
    ("BODY_TOO_LARGE", 413),
    ("UNSUPPORTED_MEDIA_TYPE", 415),
    ("MISDIRECTED", 421),
    ("BUDGET_TOO_SMALL", 422),
    ("CONTRACT_BREACH", 422),
    ("INVALID_INPUT", 422),
    ("INVALID_LIMIT", 422),
    ("INVALID_RUN_ID", 422),
    ("NOT_CERTIFIED", 422),
    ("REQUEST_INVALID", 422),
    ("HEADERS_TOO_LARGE", 431),
    ("INTERNAL_ERROR", 500),
    ("JOURNAL_INVALID", 500),
    ("SCHEMA_INVALID", 500),
    ("STATE_UNREADABLE", 500),
    ("STORE_DAMAGED", 500),
    ("STORE_LOST", 500),
    ("WORKFLOW_INVALID", 500),
    ("WORKFLOW_PANICKED", 500),
    ("OVERLOADED", 503),
    ("PROJECT_UNAVAILABLE", 503),
    ("STOPPING", 503),
    ("STORE_UNAVAILABLE", 503),
    ("UNATTENDED", 503),
    ("TIMEOUT", 504),
];

/// What whoever asked is told in place of internals.
const HIDDEN: &str =
    "something went wrong here; whoever keeps the server finds it by the request id";

/// A request that could not be answered as it wished.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) code: Cow<'static, str>,
    pub(crate) message: Cow<'static, str>,
    pub(crate) details: Option<Json<'static>>,
    /// What the protocol wants said besides.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// For whoever keeps the server, never for whoever asked.
    pub(crate) cause: Option<String>,
}

/// The status of a code of ours.
fn status(code: &str) -> Option<StatusCode> {
    let (_, status) = TABLE.iter().find(|(known, _)| *known == code)?;
    StatusCode::from_u16(*status).ok()
}

impl Problem {
    /// A code of the table.
    pub(crate) fn new(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        let status = status(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::of(status, Cow::Borrowed(code), message.into())
    }

    fn of(status: StatusCode, code: Cow<'static, str>, message: Cow<'static, str>) -> Self {
        let mut problem =
            Self { status, code, message, details: None, headers: Vec::new(), cause: None };
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            let told = std::mem::replace(&mut problem.message, Cow::Borrowed(HIDDEN));
            problem.cause = Some(told.into_owned());
        }
        problem
    }

    /// What the library below us refused by itself.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        let known = TABLE.iter().find(|(_, known)| *known == status.as_u16());
        let code = known.map_or("VALIDATION_ERROR", |(code, _)| *code);
        let told = status.canonical_reason().unwrap_or("the request was refused");
        Self::of(status, Cow::Borrowed(code), Cow::Borrowed(told))
    }

    pub(crate) fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("VALIDATION_ERROR", message)
    }

    pub(crate) fn with_details(mut self, details: Json<'static>) -> Self {
        self.details = Some(details);
        self
    }

    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    fn because(mut self, cause: String) -> Self {
        self.cause = Some(cause);
        self
    }

    /// A document that breaks its contract, and where.
    pub(crate) fn breached(what: &str, breaches: &[Breach], more: bool) -> Self {
        let text = |text: &str| Json::String(Cow::Owned(text.to_owned()));
        let listed = breaches.iter().map(|breach| {
            Json::Object(object([
                ("pointer", text(&breach.pointer)),
                ("keyword", text(&breach.keyword)),
                ("message", text(&breach.message)),
            ]))
        });
        let mut details = object([("breaches", Json::Array(listed.collect()))]);
        if more {
            details.set("more", Json::Bool(true));
        }
        let first = breaches.first().map_or_else(String::new, |first| format!(": {first}"));
        Self::new("CONTRACT_BREACH", format!("{what} breaks its contract{first}"))
            .with_details(Json::Object(details))
    }

    /// Contract `authoring/error`.
    pub(crate) fn envelope(&self, request: &str) -> String {
        let mut error =
            object([("code", Json::from(&*self.code)), ("message", (&*self.message).into())]);
        if let Some(details) = &self.details {
            error.set("details", details.clone());
        }
        let envelope = [("error", Json::Object(error)), ("requestId", Json::from(request))];
        Json::Object(object(envelope)).to_string()
    }
}

/// The gate finds it in the extensions and writes the body.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

impl From<Malformed> for Problem {
    fn from(malformed: Malformed) -> Self {
        let number = |value: usize| Json::Number((value as u64).into());
        let details = object([
            ("reason", Json::from(malformed.reason.code())),
            ("offset", number(malformed.offset)),
            ("line", number(malformed.line)),
            ("column", number(malformed.column)),
        ]);
        Self::new("MALFORMED", format!("the body: {malformed}")).with_details(Json::Object(details))
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::Fault(fault) => fault.into(),
            Error::Store(error) => error.into(),
        }
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        let known = status(&fault.code);
        let status = known.unwrap_or(match fault.class {
            FaultClass::Transient => StatusCode::SERVICE_UNAVAILABLE,
            FaultClass::Permanent | FaultClass::OutcomeUnknown => StatusCode::UNPROCESSABLE_ENTITY,
        });
        let wait = fault.wait();
        let mut problem = Self::of(status, fault.code, fault.message.into());
        if status != StatusCode::INTERNAL_SERVER_ERROR {
            problem.details = fault.details.map(|details| details.shown().into_owned());
        }
        if !wait.is_zero() {
            let seconds = wait.as_secs_f64().ceil() as u64;
            problem = problem.with_header(header::RETRY_AFTER, seconds.into());
        }
        problem
    }
}

impl From<store::Error> for Problem {
    fn from(error: store::Error) -> Self {
        let told = error.to_string();
        match error {
            store::Error::NotFound(_) => Self::new("RUN_NOT_FOUND", told),
            store::Error::Exists(_) => Self::new("RUN_EXISTS", told),
            store::Error::Damaged(_) => Self::new("STORE_DAMAGED", told),
            store::Error::Lost(_) => Self::new("STORE_LOST", told),
            store::Error::Unavailable(_) => {
                Self::new("STORE_UNAVAILABLE", "the store cannot be used just now; try again")
                    .with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
                    .because(told)
            }
            store::Error::Refused(refusal) => match refusal {
                Refusal::Closed => Self::new("INVALID_STATE", told),
                Refusal::Held { .. } => Self::new("RUN_HELD", told),
                Refusal::OverCap { .. } => Self::new("LIMIT_OWNER", told),
                Refusal::Moved { .. } | Refusal::Fenced | Refusal::NotOpen => {
                    Self::new("RUN_MOVED", told)
                }
            },
        }
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Malformed(malformed) => malformed.into(),
            Refused::Breached(breaches) => Self::breached("the envelope", &breaches, false),
            Refused::Engine(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use consign_engine::{Data, RunId};

    use super::*;

    #[test]
    fn the_table_is_in_order_and_has_no_code_twice() {
        assert!(TABLE.is_sorted_by_key(|(code, status)| (*status, *code)));
        let mut codes: Vec<_> = TABLE.iter().map(|(code, _)| code).collect();
        codes.sort();
        codes.dedup();
        assert_eq!(codes.len(), TABLE.len());
    }

    /// The table as clients rely on it: a line that changes here is a promise that changes.
    #[test]
    fn every_code_has_its_status() {
        let mut lines = String::new();
        for (code, _) in TABLE {
            let problem = Problem::new(code, "why");
            lines += &format!("{} {code} {}\n", problem.status.as_u16(), problem.message);
        }
        assert_eq!(lines.replace(HIDDEN, "(hidden)"), include_str!("error.txt"));
    }

    #[test]
    fn a_fault_has_the_status_of_its_code_or_else_of_its_class() {
        let check = |fault: Fault, status: u16| {
            assert_eq!(Problem::from(fault).status.as_u16(), status);
        };
        check(Fault::permanent("ALREADY_ANSWERED", ""), 409);
        check(Fault::permanent("SOMETHING_ELSE", ""), 422);
        check(Fault::transient("SOMETHING_ELSE", ""), 503);
        check(Fault::outcome_unknown("SOMETHING_ELSE", ""), 422);
    }

    #[test]
    fn internals_stay_here() {
        let secret = "/home/someone/consign.db";
        let told = |problem: Problem| problem.envelope("id");
        let fault = Fault::permanent("WORKFLOW_PANICKED", secret).with_details(Data::of(secret));
        for problem in [
            Problem::from(store::Error::Damaged(secret.to_owned())),
            Problem::from(store::Error::Lost(secret.to_owned())),
            Problem::from(store::Error::Unavailable(secret.to_owned())),
            Problem::from(fault),
        ] {
            assert!(problem.cause.as_ref().is_some_and(|cause| cause.contains(secret)));
            assert!(!told(problem).contains(secret));
        }
        let named = Problem::from(store::Error::NotFound(RunId::from("abcd")));
        assert!(told(named).contains("there is no run abcd"));
    }
}
