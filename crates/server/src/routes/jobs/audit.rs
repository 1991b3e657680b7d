//! `GET /api/jobs/{id}/audit`: the audit log of a job.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use serde_json::json;

use super::{jobs, value};
use crate::{
    endpoint::{Access, Answer, Call, Endpoint, JobPath, Method, NoBody, NoQuery, Operation},
    error::Problem,
    server::App,
};

pub(in crate::routes) struct Audit;

impl Endpoint for Audit {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/jobs/{id}/audit";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "jobAudit",
        "The audit log of a job, oldest first",
        &[Answer::json(200, "JobAudit", "All of its lines.")],
    );
    type Path = JobPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        let reading = async { jobs(&app, &call.caller).audit(&job).await };
        let lines = app.compute_permits.run(reading).await?;
        Ok(value(&json!({ "lines": lines })))
    }
}
