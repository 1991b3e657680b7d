//! `GET /api/jobs/{id}/preview`: the request that a job would send next.

use std::sync::Arc;

use super::jobs;
use crate::{
    endpoint::{Access, Answer, Call, Endpoint, JobPath, Method, NoBody, NoQuery, Operation},
    error::Problem,
    respond,
    server::App,
};
use axum::http::StatusCode;
use axum::response::Response;
use consign_accounts::Scope;

pub(in crate::routes) struct Preview;

impl Endpoint for Preview {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/jobs/{id}/preview";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "jobPreview",
        "The request that a job would send next",
        &[Answer::json(200, "JobPreview", "The request.")],
    )
    .description("Nothing is sent or spent.");
    type Path = JobPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        let reading = async { jobs(&app, &call.caller).preview(&job).await };
        let request = app.compute_permits.run(reading).await?;
        Ok(respond::text(StatusCode::OK, request.shown().to_string()))
    }
}
