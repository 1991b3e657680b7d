//! `POST /api/agents/jobs`: submits a job, which workers do.

use std::sync::Arc;

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use consign_accounts::Scope;
use consign_app::agent_jobs::{self, JobSubmission};
use consign_contracts::json;
use serde_json::json;

use crate::{
    endpoint::{
        Access, Answer, Call, Endpoint, JobSubmissionBody, Method, NoPath, NoQuery, Operation,
    },
    error::{Part, Problem},
    respond,
    server::App,
};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The header, as the document describes it.
pub(super) const KEY_HEADER: &[(&str, &str, &str)] = &[(
    "Idempotency-Key",
    "1 to 255 printable characters of the client's choice.",
    r#"{"type": "string", "pattern": "^[!-~]([ -~]{0,253}[!-~])?$"}"#,
)];

pub(in crate::routes) struct SubmitJob;

impl Endpoint for SubmitJob {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/agents/jobs";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "submitAgentJob",
        "Submit a job",
        &[Answer::json(201, "JobSubmitted", "It was taken, durably; workers do it.")
            .headers(&[("Location", "The job.")])],
    )
    .description(
        "With an `Idempotency-Key` the same key and body give the same job again; another body is refused with \
         IDEMPOTENCY_KEY_REUSED.",
    )
    .headers(KEY_HEADER);
    type Path = NoPath;
    type Query = NoQuery;
    type Body = JobSubmissionBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let key = idempotency_key(call.headers())?;
        let JobSubmissionBody(body) = &call.body;
        let submitting = async {
            let limits = json::Limits { bytes: app.options.max_body_bytes, ..Default::default() };
            let body = json::parse_within(body, limits).map_err(Problem::from);
            let body = body.map_err(|problem| problem.in_part(Part::Body))?;
            let wanted = JobSubmission::of(&body).keyed(key);
            let (owner, by) = (&call.caller.owner, &call.caller.speaker);
            let submitted = agent_jobs::submit(&app.home, owner, by, &wanted).await;
            submitted.map_err(|error| Problem::from(error).in_part(Part::Body))
        };
        let submitted = app.compute_permits.run(submitting).await?;
        let body = json!({ "jobId": submitted.job_id, "state": submitted.state.as_str() });
        let mut response = respond::text(StatusCode::CREATED, body.to_string());
        if let Ok(location) =
            HeaderValue::try_from(format!("/api/agents/jobs/{}", submitted.job_id))
        {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(response)
    }
}

/// The key of the client, as text. What it may be is for the use case to say.
pub(super) fn idempotency_key(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let invalid =
        |told: &str| Problem::invalid(Part::Header, "/idempotency-key", "idempotency-key", told);
    let mut given = headers.get_all(IDEMPOTENCY_KEY).iter();
    match (given.next(), given.next()) {
        (None, _) => Ok(None),
        (Some(key), None) => key
            .to_str()
            .map(Some)
            .map_err(|_| invalid("an idempotency key has 1 to 255 printable characters of ASCII")),
        (Some(_), Some(_)) => Err(invalid("the header `idempotency-key` is there twice")),
    }
}
