//! `GET /api/agents/jobs`: a page of jobs.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_accounts::Scope;
use consign_app::agent_jobs::{self, JobQuery};
use consign_contracts::{
    authoring::{AgentType, JobState},
    wire::{Integer, wire},
};

use crate::{
    endpoint::{Access, Answer, Call, Endpoint, Method, NoBody, NoPath, Operation},
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// Which jobs.
    pub closed struct AgentJobFilter {
        /// Only jobs of this agent.
        kind as "type": Option<AgentType>,
        /// Only jobs of this state.
        state: Option<JobState>,
        /// How many entries.
        limit: Option<Integer> [minimum: 1, maximum: 100, default: 20],
        /// The `nextCursor` of the page before.
        cursor: Option<String> [minLength: 1, maxLength: 1000],
    }
}

pub(in crate::routes) struct ListAgentJobs;

impl Endpoint for ListAgentJobs {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/agents/jobs";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "listAgentJobs",
        "Jobs, newest first, without payload and result",
        &[Answer::json(200, "AgentJobPage", "A page.")],
    );
    type Path = NoPath;
    type Query = AgentJobFilter;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let AgentJobFilter { kind, state, limit, cursor } = call.query;
        let limit = limit.as_ref().and_then(Integer::as_u64);
        let query = JobQuery { kind, state, limit, cursor };
        let (owner, by) = (&call.caller.owner, &call.caller.speaker);
        let page = agent_jobs::list(&app.home, owner, by, &query).await?;
        Ok(respond::object(StatusCode::OK, page.into_object()))
    }
}
