//! `GET /api/agents/jobs/{id}`: a job, and what of it is asked for.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_accounts::Scope;
use consign_app::agent_jobs::{self, Include};
use consign_contracts::wire::wire;

use crate::{
    endpoint::{Access, Answer, Call, Endpoint, Method, NamePath, NoBody, Operation},
    error::{Part, Problem},
    respond,
    server::App,
};

wire! {
    /// What is shown besides.
    pub closed struct IncludeQuery {
        /// Words with commas between: plan, audit, trace, artifacts.
        include: Option<String> [pattern: "^ *(plan|audit|trace|artifacts)( *, *(plan|audit|trace|artifacts))* *$"],
    }
}

pub(in crate::routes) struct ShowAgentJob;

impl Endpoint for ShowAgentJob {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/agents/jobs/{id}";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "showAgentJob",
        "A job, with its result or what went wrong",
        &[Answer::json(200, "AgentJob", "The job.")],
    );
    type Path = NamePath;
    type Query = IncludeQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let include = call.query.include.as_deref().unwrap_or_default();
        let include = Include::read(include).map_err(|refused| {
            Problem::invalid(Part::Query, "/include", "enum", refused.message)
        })?;
        let NamePath(id) = &call.path;
        let (owner, by) = (&call.caller.owner, &call.caller.speaker);
        let job = agent_jobs::get(&app.home, owner, by, id, include).await?;
        Ok(respond::object(StatusCode::OK, job))
    }
}
