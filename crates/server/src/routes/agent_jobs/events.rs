//! `GET /api/agents/jobs/{id}/events`: the journal of a job as it grows, or a page of it.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::agent_jobs;

use crate::{
    endpoint::{Access, Answer, Call, Endpoint, Method, NamePath, NoBody, Operation},
    error::Problem,
    routes::runs::events::{Range, follow},
    server::App,
};

pub(in crate::routes) struct AgentJobEvents;

impl Endpoint for AgentJobEvents {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/agents/jobs/{id}/events";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "agentJobEvents",
        "The events of a job as they come, or a page of them",
        &[
            Answer::json(200, "EventPage", "The events.").or_stream(),
            Answer::empty(204, "The job is over, and there is nothing after that seq."),
        ],
    )
    .description("As `/api/runs/{id}/events`: the job is the run of that id.")
    .headers(&[(
        "Last-Event-ID",
        "Like `after`, and counts in its place.",
        r#"{"type": "integer", "minimum": 0, "maximum": 18446744073709551614}"#,
    )]);
    type Path = NamePath;
    type Query = Range;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let NamePath(id) = &call.path;
        let row = agent_jobs::find(&app.home, &call.caller.owner, id).await?;
        follow(&app, &row, &call.query, &call.caller, call.headers(), call.closing()).await
    }
}
