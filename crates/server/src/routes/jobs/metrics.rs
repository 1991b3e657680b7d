//! `GET /api/jobs/{id}/metrics`: what a job has used, and may use.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::jobs::job_metrics;

use super::{jobs, value};
use crate::{
    endpoint::{Access, Answer, Call, Endpoint, JobPath, Method, NoBody, NoQuery, Operation},
    error::Problem,
    server::App,
};

pub(in crate::routes) struct Metrics;

impl Endpoint for Metrics {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/jobs/{id}/metrics";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "jobMetrics",
        "What a job has used, and may use",
        &[Answer::json(200, "JobMetrics", "Its metrics.")],
    )
    .description("Costs are in cents; a threshold of 0 is none.");
    type Path = JobPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        let view = jobs(&app, &call.caller).show(&job).await?;
        Ok(value(&job_metrics(&view)))
    }
}
