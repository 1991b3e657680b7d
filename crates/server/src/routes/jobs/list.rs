//! `GET /api/jobs`: a page of jobs.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::jobs::{OutsideList, job_line};
use consign_contracts::{
    job::JobStatus,
    wire::{Integer, wire},
};
use consign_engine::RunId;
use serde_json::{Value, json};

use super::{jobs, value};
use crate::{
    endpoint::{Access, Answer, Call, Endpoint, Method, NoBody, NoPath, Operation, page_size},
    error::Problem,
    server::App,
};

wire! {
    /// Which jobs.
    pub closed struct JobFilter {
        /// Only jobs of this status.
        status: Option<JobStatus>,
        /// How many entries.
        limit: Option<Integer> [minimum: 1, maximum: 1000, default: 50],
        /// Only jobs older than the one of this run: the `next` of the page before.
        before: Option<String> [pattern: "^[A-Za-z0-9._-]{1,100}$"],
    }
}

pub(in crate::routes) struct ListJobs;

impl Endpoint for ListJobs {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/jobs";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "listJobs",
        "Jobs, newest first",
        &[Answer::json(200, "JobPage", "A page.")],
    )
    .description(
        "A job that was restored after its end is listed once, with its newest run: a page may have fewer jobs than \
         `limit`, and a `next` all the same.",
    );
    type Path = NoPath;
    type Query = JobFilter;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobFilter { status, limit, before } = call.query;
        let most = page_size(limit.as_ref());
        let before = before.map(RunId::new);
        if let Some(before) = &before {
            call.caller.reach.check(&app.engine, before).await?;
        }
        let wanted = OutsideList { status, before, most };
        let page = jobs(&app, &call.caller).list(wanted).await?;
        let lines: Vec<Value> = page.items.iter().map(job_line).collect();
        Ok(value(&json!({ "jobs": lines, "next": page.cursor })))
    }
}
