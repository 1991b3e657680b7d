//! `GET /api/runs`: a page of runs.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_app::{listing::Page, runs};
use consign_contracts::{
    engine::RunStatus,
    json::Json,
    wire::{Integer, wire},
};
use consign_engine::{Owner, RunId, Status, store::RunQuery};

use crate::{
    endpoint::{Answer, Call, Endpoint, Method, NoBody, NoPath, Operation, page_size},
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// Which runs.
    pub closed struct Filter {
        /// Only runs of this status.
        status: Option<RunStatus>,
        /// Only runs of this workflow.
        workflow: Option<String>,
        /// Only runs that this owner pays for.
        owner: Option<String>,
        /// Only runs with this label of their workflow.
        label: Option<String>,
        /// How many entries.
        limit: Option<Integer> [minimum: 1, maximum: 1000, default: 50],
        /// Go on after this run.
        cursor: Option<String> [pattern: "^[A-Za-z0-9._-]{1,100}$"],
    }
}

pub(in crate::routes) struct ListRuns;

impl Endpoint for ListRuns {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/runs";
    const OPERATION: Operation = Operation::new(
        "listRuns",
        "Runs, newest first",
        &[Answer::json(200, "RunPage", "A page.")],
    );
    type Path = NoPath;
    type Query = Filter;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let Filter { status, workflow, owner, label, limit, cursor } = call.query;
        let cursor = cursor.map(RunId::new);
        if let Some(cursor) = &cursor {
            call.caller.reach.check(&app.engine, cursor).await?;
        }
        let query = RunQuery {
            status: status.and_then(|status| Status::from_word(status.as_str())),
            workflow,
            owner: call.caller.reach.narrow(owner.map(Owner::from))?,
            label,
            before: cursor,
            most: page_size(limit.as_ref()),
            ..RunQuery::default()
        };
        let Page { items, cursor } = runs::list(&app.engine, query).await?;
        let items = items.into_iter().map(Json::Object).collect();
        Ok(respond::text(StatusCode::OK, respond::page(items, cursor)))
    }
}
