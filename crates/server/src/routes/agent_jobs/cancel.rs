//! `POST /api/agents/jobs/{id}/cancel`: stops a job.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_accounts::Scope;
use consign_app::agent_jobs;
use serde_json::json;

use crate::{
    endpoint::{Access, Answer, Call, Endpoint, Method, NamePath, NoBody, NoQuery, Operation},
    error::Problem,
    respond,
    server::App,
};

pub(in crate::routes) struct CancelAgentJob;

impl Endpoint for CancelAgentJob {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/agents/jobs/{id}/cancel";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "cancelAgentJob",
        "Cancel a job",
        &[Answer::json(200, "JobCancelled", "It has failed with JOB_CANCELLED.")],
    )
    .description("Waits until its work has stopped, at most eleven seconds.");
    type Path = NamePath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let NamePath(id) = &call.path;
        let (owner, by) = (&call.caller.owner, &call.caller.speaker);
        let done = agent_jobs::cancel(&app.home, owner, by, id).await?;
        let body = json!({ "id": done.id, "state": done.state.as_str(), "message": done.message });
        Ok(respond::text(StatusCode::OK, body.to_string()))
    }
}
