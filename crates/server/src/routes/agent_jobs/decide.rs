//! `POST /api/agents/jobs/{id}/approve` and `/reject`: what a person says to a job that waits for approval.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_accounts::Scope;
use consign_app::agent_jobs::{self, Decided};
use consign_contracts::wire::wire;
use serde_json::json;

use crate::{
    endpoint::{Access, Answer, Call, Checked, Endpoint, Method, NamePath, NoQuery, Operation},
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// An approval.
    pub closed struct ApproveJobBody {
        /// The digest that the job showed: what changed since is not approved.
        digest: Option<String> [minLength: 1, maxLength: 200],
    }
}

wire! {
    /// A rejection.
    pub closed struct RejectJobBody {
        /// Why.
        why: Option<String> [minLength: 1, maxLength: 10_000],
    }
}

const DECIDED: &[Answer] = &[Answer::json(200, "JobDecided", "It was taken.")];

fn decided(done: &Decided) -> Response {
    let body = json!({ "id": done.id, "state": done.state.as_str() });
    respond::text(StatusCode::OK, body.to_string())
}

pub(in crate::routes) struct ApproveAgentJob;

impl Endpoint for ApproveAgentJob {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/agents/jobs/{id}/approve";
    const ACCESS: Access = Access::Scope(Scope::Answer);
    const OPERATION: Operation =
        Operation::new("approveAgentJob", "Approve what a job is about to publish", DECIDED);
    type Path = NamePath;
    type Query = NoQuery;
    type Body = Option<Checked<ApproveJobBody>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let digest = call.body.and_then(|Checked(body)| body.digest);
        let NamePath(id) = &call.path;
        let (owner, by) = (&call.caller.owner, &call.caller.speaker);
        let done = agent_jobs::approve(&app.home, owner, by, id, digest.as_deref()).await?;
        Ok(decided(&done))
    }
}

pub(in crate::routes) struct RejectAgentJob;

impl Endpoint for RejectAgentJob {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/agents/jobs/{id}/reject";
    const ACCESS: Access = Access::Scope(Scope::Answer);
    const OPERATION: Operation =
        Operation::new("rejectAgentJob", "Reject it: the job fails with JOB_REJECTED", DECIDED);
    type Path = NamePath;
    type Query = NoQuery;
    type Body = Option<Checked<RejectJobBody>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let why = call.body.and_then(|Checked(body)| body.why);
        let NamePath(id) = &call.path;
        let (owner, by) = (&call.caller.owner, &call.caller.speaker);
        let done = agent_jobs::reject(&app.home, owner, by, id, why.as_deref()).await?;
        Ok(decided(&done))
    }
}
