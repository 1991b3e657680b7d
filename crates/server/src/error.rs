//! What goes wrong, as HTTP: the one table of codes and statuses.
//!
//! A handler returns a [`Problem`], or uses `?` on an error of the engine, of the store or of the processor; the
//! gate writes it as contract `authoring/error` with the id of the request. A request that breaks its contract is
//! `400 VALIDATION_ERROR` and `details.breaches` says where; a store that fails is `500 DATABASE_ERROR`.
//!
//! A problem keeps the program's own code (`STORE_DAMAGED`), for the operator's [`Incident`](crate::Incident) and for
//! MCP; only HTTP knows the broader word for it. The message of a problem with status 500 must not reach the client:
//! it may name files and internals, so it becomes the `cause`, and the client is told [`HIDDEN`].

use std::{borrow::Cow, sync::Arc};

use axum::{
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use consign_app::documents::Failed;
use consign_contracts::{
    Breach,
    json::{Json, Malformed, Object},
};
use consign_engine::{
    At, Error, Fault, FaultClass,
    store::{self, Refusal},
};

use serde_json::json;

use crate::{Refused, view::object};

/// A line of the table.
struct Line {
    /// The code as the program has it.
    code: &'static str,
    status: u16,
    /// The code as HTTP has it.
    on_wire: &'static str,
}

const fn line(status: u16, code: &'static str) -> Line {
    Line { code, status, on_wire: code }
}

const fn invalid(code: &'static str) -> Line {
    Line { code, status: 400, on_wire: VALIDATION_ERROR }
}

const fn store_failure(code: &'static str) -> Line {
    Line { code, status: 500, on_wire: DATABASE_ERROR }
}

const VALIDATION_ERROR: &str = "VALIDATION_ERROR";
const DATABASE_ERROR: &str = "DATABASE_ERROR";
const INTERNAL_ERROR: &str = "INTERNAL_ERROR";

/// Every code that this server knows, by status. A fault with another code is 422, or 503 if trying again may help.
const TABLE: &[Line] = &[
    line(400, "INVALID_CODE"),
    line(400, "INVALID_PROVIDER"),
    line(400, "MODEL_NOT_ALLOWED"),
    invalid("CONTRACT_BREACH"),
    invalid("INVALID_INPUT"),
    invalid("INVALID_JOB_NAME"),
    invalid("INVALID_RUN_ID"),
    invalid("MALFORMED"),
    invalid("ROLE_INVALID"),
    invalid("UNKNOWN_STAGE"),
    invalid(VALIDATION_ERROR),
    line(401, "INVALID_CREDENTIALS"),
    line(401, "UNAUTHORIZED"),
    line(403, "ADDRESS_NOT_ALLOWED"),
    line(403, "ALREADY_VERIFIED"),
    line(403, "EMAIL_NOT_VERIFIED"),
    line(403, "FORBIDDEN"),
    line(403, "PERSON_REQUIRED"),
    line(403, "ROBOTS_FORBIDDEN"),
    line(403, "USER_DISABLED"),
    line(404, "AGENT_NOT_FOUND"),
    line(404, "AI_MODEL_NOT_FOUND"),
    line(404, "ERR_CONNECTOR_NOT_FOUND"),
    line(404, "EVENT_NOT_FOUND"),
    line(404, "INTERACTION_NOT_FOUND"),
    line(404, "JOB_NOT_FOUND"),
    line(404, "KEY_NOT_FOUND"),
    line(404, "NOT_FOUND"),
    line(404, "PHASE_NOT_FOUND"),
    line(404, "PIPELINE_NOT_FOUND"),
    line(404, "POINT_NOT_FOUND"),
    line(404, "RUN_NOT_FOUND"),
    line(404, "SIGNAL_NOT_FOUND"),
    line(404, "STAGE_NOT_FOUND"),
    line(404, "USER_NOT_FOUND"),
    line(404, "WORKFLOW_NOT_FOUND"),
    line(405, "METHOD_NOT_ALLOWED"),
    line(409, "ALREADY_ANSWERED"),
    line(409, "DEADLINE_PASSED"),
    line(409, "DIRECTORY_NOT_EMPTY"),
    line(409, "DUPLICATE_KEY"),
    line(409, "EMAIL_IN_USE"),
    line(409, "FILE_EXISTS"),
    line(409, "FORK_IMPOSSIBLE"),
    line(409, "IDEMPOTENCY_KEY_REUSED"),
    line(409, "INTERACTION_AMBIGUOUS"),
    line(409, "INVALID_STATE"),
    line(409, "JOB_COMMAND_REQUIRED"),
    line(409, "JOB_EXISTS"),
    line(409, "JOB_KEY_MISSING"),
    line(409, "LIMIT_NOT_RAISED"),
    line(409, "LIMIT_OWNER"),
    line(409, "MANIFEST_DIVERGED"),
    line(409, "MANIFEST_UNREADABLE"),
    line(409, "NOT_AN_APPROVAL"),
    line(409, "NOT_DECLINABLE"),
    line(409, "NOT_PENDING"),
    line(409, "RUN_ELSEWHERE"),
    line(409, "RUN_EXISTS"),
    line(409, "RUN_HELD"),
    line(409, "RUN_MOVED"),
    line(409, "RUN_REDACTED"),
    line(409, "TURN_IN_PROGRESS"),
    line(409, "UNSAFE_REPEATED"),
    line(409, "VERSION_TOO_NEW"),
    line(409, "WITHDRAWN"),
    line(409, "WORKFLOW_VERSION_MISSING"),
    line(409, "WORKSPACE_CHANGED"),
    line(412, "AI_KEY_MISSING"),
    line(413, "ANSWER_TOO_LARGE"),
    line(413, "BODY_TOO_LARGE"),
    line(413, "SOURCE_TOO_LARGE"),
    line(415, "ERR_PARSER_UNSUPPORTED"),
    line(415, "UNSUPPORTED_MEDIA_TYPE"),
    line(421, "MISDIRECTED"),
    line(422, "BUDGET_TOO_SMALL"),
    line(422, "ERR_GUARDRAIL_INJECTION"),
    line(422, "ERR_GUARDRAIL_UNSAFE"),
    line(422, "ERR_PARSER_ENCRYPTED"),
    line(422, "INVALID_LIMIT"),
    line(422, "NOT_CERTIFIED"),
    line(422, "REQUEST_INVALID"),
    line(424, "ERR_CONNECTOR_AUTH"),
    line(429, "AI_RATE_LIMITED"),
    line(429, "RATE_LIMITED"),
    line(431, "HEADERS_TOO_LARGE"),
    store_failure("STORE_DAMAGED"),
    store_failure("STORE_LOST"),
    store_failure("STORE_UNAVAILABLE"),
    line(500, "GIT_FAILED"),
    line(500, INTERNAL_ERROR),
    line(500, "JOB_FILES_UNAVAILABLE"),
    line(500, "JOURNAL_INVALID"),
    line(500, "SCHEMA_INVALID"),
    line(500, "STATE_UNREADABLE"),
    line(500, "WORKFLOW_INVALID"),
    line(500, "WORKFLOW_PANICKED"),
    line(502, "AI_AUTH_ERROR"),
    line(502, "SOURCE_UNREACHABLE"),
    line(503, "AI_INVALID_RESPONSE"),
    line(503, "AI_NETWORK_ERROR"),
    line(503, "AI_PROVIDER_ERROR"),
    line(503, "ENCRYPTION_NOT_CONFIGURED"),
    line(503, "OAUTH_NOT_CONFIGURED"),
    line(503, "OVERLOADED"),
    line(503, "PROJECT_UNAVAILABLE"),
    line(503, "SIGN_IN_UNAVAILABLE"),
    line(503, "STOPPING"),
    line(503, "UNATTENDED"),
    line(504, "ERR_TIMEOUT"),
    line(504, "TIMEOUT"),
];

/// What the client is told in place of internals.
const HIDDEN: &str = "the server failed; its operator can find the cause by the request id";

/// The part of a request that breaks its contract, in the words of OpenAPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Body,
    Header,
    Path,
    Query,
}

impl Part {
    fn word(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Header => "header",
            Self::Path => "path",
            Self::Query => "query",
        }
    }
}

/// Why a request was not answered as the client wished.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// The program's own code; [`Problem::code_on_wire`] is what HTTP makes of it.
    pub(crate) code: Cow<'static, str>,
    pub(crate) message: Cow<'static, str>,
    pub(crate) details: Option<Json<'static>>,
    /// Headers that the protocol wants with it.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// For the operator of the server, never for the client.
    pub(crate) cause: Option<String>,
}

/// Every code that a client may be told, by status.
pub(crate) fn codes() -> impl Iterator<Item = (u16, &'static str)> {
    // Lines that share a code stand together.
    let mut before = None;
    TABLE.iter().filter_map(move |line| {
        let told = (line.status, line.on_wire);
        (before.replace(told) != Some(told)).then_some(told)
    })
}

fn line_of(code: &str) -> Option<&'static Line> {
    TABLE.iter().find(|line| line.code == code)
}

fn status_of(code: &str) -> Option<StatusCode> {
    StatusCode::from_u16(line_of(code)?.status).ok()
}

impl Problem {
    /// A problem with a code of the table.
    pub(crate) fn new(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        let status = status_of(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
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

    /// What the HTTP library refused by itself.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        let code = match status {
            StatusCode::NOT_FOUND => "NOT_FOUND",
            StatusCode::METHOD_NOT_ALLOWED => "METHOD_NOT_ALLOWED",
            StatusCode::PAYLOAD_TOO_LARGE => "BODY_TOO_LARGE",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "UNSUPPORTED_MEDIA_TYPE",
            status if status.is_server_error() => INTERNAL_ERROR,
            _ => VALIDATION_ERROR,
        };
        let told = status.canonical_reason().unwrap_or("the request was refused");
        Self::of(status, Cow::Borrowed(code), Cow::Borrowed(told))
    }

    /// A document that breaks its contract, with every breach that is known.
    pub(crate) fn breached(what: &str, breaches: &[Breach], more: bool) -> Self {
        let first = match breaches.first() {
            None => String::new(),
            Some(first) if first.pointer.is_empty() => format!(": {}", first.message),
            Some(first) => format!(": {first}"),
        };
        let listed = breaches.iter().map(breach).collect();
        let mut details = object([("breaches", Json::Array(listed))]);
        if more {
            details.set("more", Json::Bool(true));
        }
        Self::new(VALIDATION_ERROR, format!("{what} breaks its contract{first}"))
            .with_details(Json::Object(details))
    }

    /// A rule that no schema says, broken at a place in a part of the request.
    pub(crate) fn invalid(
        part: Part,
        pointer: impl Into<String>,
        keyword: &str,
        message: impl Into<String>,
    ) -> Self {
        let (pointer, message) = (pointer.into(), message.into());
        let broken = Breach { pointer, keyword: keyword.to_owned(), message: message.clone() };
        Self::new(VALIDATION_ERROR, message)
            .with_details(Json::Object(object([("breaches", Json::Array(vec![breach(&broken)]))])))
            .in_part(part)
    }

    /// A failure of an agent, which is in the details: contract `crew/agent-failure`.
    pub(crate) fn of_failure(failed: &Failed, at: At) -> Self {
        let passing = if failed.recoverable {
            StatusCode::SERVICE_UNAVAILABLE
        } else {
            StatusCode::UNPROCESSABLE_ENTITY
        };
        let status = status_of(&failed.error_code).unwrap_or(passing);
        let (code, message) = (failed.error_code.clone(), failed.message.clone());
        let mut details = json!(failed);
        details["timestamp"] = json!(at.to_string());
        Self::of(status, code.into(), message.into()).with_details(Json::from(&details))
    }

    /// Says in which part of the request the breaches are.
    pub(crate) fn in_part(mut self, part: Part) -> Self {
        if let Some(Json::Object(details)) = &mut self.details {
            details.set("in", Json::from(part.word()));
        }
        self
    }

    pub(crate) fn with_details(mut self, details: Json<'static>) -> Self {
        self.details = Some(details);
        self
    }

    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The code that the client is told.
    pub(crate) fn code_on_wire(&self) -> &str {
        line_of(&self.code).map_or(&self.code, |line| line.on_wire)
    }

    /// Contract `authoring/error`.
    pub(crate) fn envelope(&self, request: &str) -> String {
        let code = self.code_on_wire();
        let mut error = object([("code", Json::from(code)), ("message", (&*self.message).into())]);
        let mut details = self.details.clone();
        if code == VALIDATION_ERROR {
            details = Some(self.with_a_breach(details));
        }
        if let Some(details) = details {
            error.set("details", details);
        }
        let envelope = [("error", Json::Object(error)), ("requestId", Json::from(request))];
        Json::Object(object(envelope)).to_string()
    }

    /// Details in the form that every `VALIDATION_ERROR` has: at least one breach, and each with a keyword. What no
    /// schema found has the code in place of one, such as `invalid-input`.
    fn with_a_breach(&self, details: Option<Json<'static>>) -> Json<'static> {
        let keyword = self.code.to_ascii_lowercase().replace('_', "-");
        let mut details = match details {
            Some(Json::Object(details)) => details,
            Some(_) | None => Object::new(),
        };
        match details.get_mut("breaches") {
            Some(Json::Array(breaches)) if !breaches.is_empty() => {
                for breach in breaches {
                    if let Json::Object(breach) = breach
                        && breach.get("keyword").is_none()
                    {
                        breach.set("keyword", Json::String(keyword.clone().into()));
                    }
                }
            }
            Some(_) | None => {
                let message = self.message.clone().into_owned();
                let only = Breach { pointer: String::new(), keyword, message };
                details.set("breaches", Json::Array(vec![breach(&only)]));
            }
        }
        Json::Object(details)
    }
}

fn breach(breach: &Breach) -> Json<'static> {
    let text = |text: &str| Json::String(Cow::Owned(text.to_owned()));
    Json::Object(object([
        ("pointer", text(&breach.pointer)),
        ("keyword", text(&breach.keyword)),
        ("message", text(&breach.message)),
    ]))
}

/// A refusal about accounts. Where trying again may help, it says when.
impl From<consign_accounts::Error> for Problem {
    fn from(error: consign_accounts::Error) -> Self {
        use consign_accounts::Error as Account;
        match error {
            Account::Store(error) => error.into(),
            Account::Validation { field, why } => {
                Self::invalid(Part::Body, format!("/{field}"), "value", format!("{field} {why}"))
            }
            Account::RateLimited { retry_after } => {
                let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
                Self::new(error.code(), error.to_string())
                    .with_header(header::RETRY_AFTER, HeaderValue::from(seconds))
            }
            Account::Overloaded => Self::new(error.code(), error.to_string())
                .with_header(header::RETRY_AFTER, HeaderValue::from_static("1")),
            Account::InvalidCredentials
            | Account::EmailInUse
            | Account::UserNotFound
            | Account::EmailNotVerified
            | Account::AlreadyVerified
            | Account::InvalidCode
            | Account::UserDisabled
            | Account::InvalidProvider
            | Account::OauthNotConfigured
            | Account::Forbidden => Self::new(error.code(), error.to_string()),
        }
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

impl From<consign_app::Error> for Problem {
    fn from(error: consign_app::Error) -> Self {
        match error {
            consign_app::Error::Engine(error) => error.into(),
            consign_app::Error::Refused(refused) => (*refused).into(),
        }
    }
}

impl From<consign_app::Refused> for Problem {
    fn from(refused: consign_app::Refused) -> Self {
        if refused.is_usage && line_of(&refused.code).is_none() {
            let keyword = refused.code.to_ascii_lowercase().replace('_', "-");
            return Self::invalid(Part::Body, "", &keyword, refused.message);
        }
        let status = status_of(&refused.code).unwrap_or(StatusCode::UNPROCESSABLE_ENTITY);
        let mut problem = Self::of(status, refused.code, refused.message.into());
        if !refused.details.is_empty() {
            problem.details = Some(Json::Object(refused.details));
        }
        problem
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
        let status = status_of(&fault.code).unwrap_or(match fault.class {
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
            store::Error::Redacted(_) => Self::new("RUN_REDACTED", told),
            store::Error::Damaged(_) => Self::new("STORE_DAMAGED", told),
            store::Error::Lost(_) => Self::new("STORE_LOST", told),
            // Nothing is broken for good, so the client learns that trying again may help.
            store::Error::Unavailable(_) => {
                let mut problem = Self::new("STORE_UNAVAILABLE", told)
                    .with_header(header::RETRY_AFTER, HeaderValue::from_static("1"));
                problem.message =
                    Cow::Borrowed("the store cannot be used at the moment; try again");
                problem
            }
            store::Error::Refused(refusal) => match refusal {
                Refusal::Closed | Refusal::Open => Self::new("INVALID_STATE", told),
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
            Refused::Malformed(malformed) => Self::from(malformed).in_part(Part::Body),
            Refused::Breached(breaches) => {
                Self::breached("the envelope", &breaches, false).in_part(Part::Body)
            }
            Refused::Engine(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use consign_contracts::authoring::ErrorCode;
    use consign_engine::{Data, RunId};

    use super::*;

    #[test]
    fn the_table_is_in_order_and_has_no_code_twice() {
        assert!(TABLE.is_sorted_by_key(|line| (line.status, line.on_wire, line.code)));
        let mut codes: Vec<_> = TABLE.iter().map(|line| line.code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), TABLE.len());
    }

    /// The table as clients rely on it: a line that changes here is a promise that changes.
    #[test]
    fn every_code_has_its_status() {
        let mut lines = String::new();
        for Line { code, on_wire, .. } in TABLE {
            let problem = Problem::new(code, "why");
            let told: serde_json::Value = serde_json::from_str(&problem.envelope("id")).unwrap();
            assert_eq!(told["error"]["code"], *on_wire);
            lines += &format!("{} {on_wire} {}", problem.status.as_u16(), problem.message);
            lines += &if code == on_wire { "\n".to_owned() } else { format!(" ({code})\n") };
        }
        assert_eq!(lines.replace(HIDDEN, "[hidden]"), include_str!("error.txt"));
    }

    /// The document "Agent Contracts" says which status its codes have.
    #[test]
    fn codes_of_the_authoring_document_have_its_statuses() {
        let mut shared = 0;
        for Line { on_wire, status, .. } in TABLE {
            if let Some(code) = ErrorCode::from_word(on_wire) {
                assert_eq!(*status, code.http_status(), "{on_wire}");
                shared += 1;
            }
        }
        assert!(shared > 10, "{shared}");
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
        check(Fault::transient("STORE_UNAVAILABLE", ""), 500);
    }

    #[test]
    fn what_the_library_refuses_has_a_code_of_its_status() {
        let check = |status: u16, code: &str| {
            let problem = Problem::of_status(StatusCode::from_u16(status).unwrap());
            assert_eq!((problem.status.as_u16(), problem.code_on_wire()), (status, code));
        };
        check(400, "VALIDATION_ERROR");
        check(404, "NOT_FOUND");
        check(405, "METHOD_NOT_ALLOWED");
        check(413, "BODY_TOO_LARGE");
        check(500, "INTERNAL_ERROR");
    }

    #[test]
    fn every_validation_error_names_a_breach() {
        let malformed = consign_contracts::json::parse(b"{\"a\": }").unwrap_err();
        let own = Breach {
            pointer: "/a".to_owned(),
            keyword: "type".to_owned(),
            message: "no".to_owned(),
        };
        let details = Data::of(&serde_json::json!({"breaches": [{"pointer": "/b"}]}));
        for (problem, pointer) in [
            (Problem::from(malformed), ""),
            (Problem::from(Fault::permanent("INVALID_INPUT", "no")), ""),
            (Problem::from(Fault::permanent("CONTRACT_BREACH", "no").with_details(details)), "/b"),
            (Problem::breached("the query", &[own], false), "/a"),
            (Problem::invalid(Part::Query, "/c", "duplicate", "no"), "/c"),
        ] {
            let told: serde_json::Value = serde_json::from_str(&problem.envelope("id")).unwrap();
            assert_eq!(told["error"]["code"], VALIDATION_ERROR);
            let breaches = told["error"]["details"]["breaches"].as_array().unwrap();
            assert_eq!((breaches.len(), &breaches[0]["pointer"]), (1, &pointer.into()), "{told}");
            assert!(breaches[0]["keyword"].is_string(), "{told}");
        }
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
