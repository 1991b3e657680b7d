//! `GET /api/jobs/{id}`: how a job stands.

use std::sync::Arc;

use super::{jobs, shown};
use crate::{
    endpoint::{Access, Answer, Call, Endpoint, JobPath, Method, NoBody, NoQuery, Operation},
    error::Problem,
    server::App,
};
use axum::http::StatusCode;
use axum::response::Response;
use consign_accounts::Scope;

pub(in crate::routes) struct ShowJob;

impl Endpoint for ShowJob {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/jobs/{id}";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "showJob",
        "How a job stands, what it has used, and what it asks",
        &[Answer::json(200, "Job", "The job.")],
    );
    type Path = JobPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        let view = jobs(&app, &call.caller).show(&job).await?;
        Ok(shown(StatusCode::OK, &view))
    }
}
