//! `GET /api/jobs/{id}/history`: a page of the interactions of a job.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::jobs::{HistoryPage, HistoryRead};
use consign_contracts::wire::{Integer, wire};
use serde_json::json;

use super::{jobs, value};
use crate::{
    endpoint::{Access, Answer, Call, Endpoint, JobPath, Method, NoBody, Operation},
    error::{Part, Problem},
    server::App,
};

wire! {
    /// Which interactions, both ends included.
    pub closed struct HistoryRange {
        /// The first one, by its sequence.
        from: Option<Integer> [minimum: 0, maximum: u64::MAX],
        /// The last one.
        to: Option<Integer> [minimum: 0, maximum: u64::MAX],
    }
}

pub(in crate::routes) struct History;

impl Endpoint for History {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/jobs/{id}/history";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "jobHistory",
        "The interactions of a job, oldest first",
        &[Answer::json(200, "JobHistoryPage", "A page.")],
    )
    .description(
        "A page has at most 100 interactions, and fewer where they are large. `next` is the `from` of the next page.",
    );
    type Path = JobPath;
    type Query = HistoryRange;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        let HistoryRange { from, to } = call.query;
        let number = |given: Option<Integer>| given.as_ref().and_then(Integer::as_u64);
        let wanted = HistoryPage { from: number(from), to: number(to) };
        if wanted.to.is_some_and(|to| wanted.from.unwrap_or(0) > to) {
            let told = "`from` is after `to`";
            return Err(Problem::invalid(Part::Query, "/from", "maximum", told));
        }
        let reading = async { jobs(&app, &call.caller).history(&job, wanted).await };
        let HistoryRead { interactions, next } = app.compute_permits.run(reading).await?;
        Ok(value(&json!({ "interactions": interactions, "next": next })))
    }
}
