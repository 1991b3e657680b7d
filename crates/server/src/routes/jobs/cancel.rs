//! `POST /api/jobs/{id}/cancel`: ends a job, wherever it stands.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::Response;
use consign_accounts::Scope;
use consign_app::jobs::Change;
use consign_contracts::job::JobStatus;

use super::{NoMembers, jobs, shown};
use crate::{
    endpoint::{Access, Answer, Call, Checked, Endpoint, JobPath, Method, NoQuery, Operation},
    error::Problem,
    server::App,
};

pub(in crate::routes) struct CancelJob;

impl Endpoint for CancelJob {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs/{id}/cancel";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "cancelJob",
        "End a job, wherever it stands",
        &[
            Answer::json(200, "Job", "The job is over."),
            Answer::json(
                202,
                "Job",
                "The wish was taken, and the worker that has the job ends it; the job as it is now.",
            ),
        ],
    );
    type Path = JobPath;
    type Query = NoQuery;
    type Body = Option<Checked<NoMembers>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        let view = jobs(&app, &call.caller).change(&job, Change::Cancel).await?;
        let is_over = view.status == JobStatus::Canceled.as_str();
        Ok(shown(if is_over { StatusCode::OK } else { StatusCode::ACCEPTED }, &view))
    }
}
