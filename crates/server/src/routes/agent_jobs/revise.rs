//! `POST /api/agents/jobs/{id}/revise`: a new job on what a finished one made. `GET …/revisions`: the chain.

use std::sync::Arc;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use consign_accounts::Scope;
use consign_app::agent_jobs::{self, JobRevision, RevisionMode, RevisionScope, Wish};
use consign_contracts::{
    json::{Json, Object},
    wire::wire,
};
use serde_json::json;

use super::submit::{KEY_HEADER, idempotency_key};
use crate::{
    endpoint::{
        Access, Answer, Call, Checked, Endpoint, Method, NamePath, NoBody, NoQuery, Operation,
    },
    error::{Part, Problem},
    respond,
    server::App,
    view::object,
};

wire! {
    /// What should change in what a job made.
    pub closed struct ReviseJobBody {
        /// The wish, in words.
        instruction: String [minLength: 1, maxLength: 10_000],
        /// Whether the parent's text is changed, or written anew.
        mode: RevisionMode,
        /// What may change: the files, the plan, or both.
        scope: RevisionScope,
    }
}

pub(in crate::routes) struct Revise;

impl Endpoint for Revise {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/agents/jobs/{id}/revise";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "reviseAgentJob",
        "Revise a finished job with a new one",
        &[Answer::json(201, "JobRevised", "It was taken, durably; workers do it.")
            .headers(&[("Location", "The new job.")])],
    )
    .description(
        "It works on the same branch and pull request. 409 INVALID_STATE unless the job is finished, and for Trace and \
         Proto without a model.",
    )
    .headers(KEY_HEADER);
    type Path = NamePath;
    type Query = NoQuery;
    type Body = Checked<ReviseJobBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let key = idempotency_key(call.headers())?.map(str::to_owned);
        let Checked(ReviseJobBody { instruction, mode, scope }) = call.body;
        let wish = Wish::of(
            JobRevision { instruction, mode, scope, extra: Object::new() },
            key.as_deref(),
        );
        let NamePath(id) = &call.path;
        let (owner, by) = (&call.caller.owner, &call.caller.speaker);
        let revising = async {
            let submitted = agent_jobs::revise(&app.home, owner, by, id, &wish).await;
            submitted.map_err(|error| Problem::from(error).in_part(Part::Body))
        };
        let made = app.compute_permits.run(revising).await?;
        let parent = id.to_lowercase();
        let body =
            json!({ "jobId": made.job_id, "parentJobId": parent, "state": made.state.as_str() });
        let mut response = respond::text(StatusCode::CREATED, body.to_string());
        if let Ok(location) = HeaderValue::try_from(format!("/api/agents/jobs/{}", made.job_id)) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(response)
    }
}

pub(in crate::routes) struct Revisions;

impl Endpoint for Revisions {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/agents/jobs/{id}/revisions";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "agentJobRevisions",
        "The chain of revisions that a job belongs to",
        &[Answer::json(200, "RevisionChain", "All of them, the first job first.")],
    );
    type Path = NamePath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let NamePath(id) = &call.path;
        let chain = agent_jobs::revisions(&app.home, &call.caller.owner, id).await?;
        let items = chain.into_iter().map(Json::Object).collect();
        Ok(respond::object(StatusCode::OK, object([("items", Json::Array(items))])))
    }
}
