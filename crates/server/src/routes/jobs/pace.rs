//! `POST /api/jobs/{id}/run` and `/step`: how far workers go on with a job.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_accounts::Scope;
use consign_app::jobs::{Change, Pace};

use super::{NoMembers, jobs, shown};
use crate::{
    caller::Caller,
    endpoint::{Access, Answer, Call, Checked, Endpoint, JobPath, Method, NoQuery, Operation},
    error::Problem,
    server::App,
};

const TAKEN: &[Answer] =
    &[Answer::json(202, "Job", "It was taken, and a worker goes on; the job as it is now.")];

pub(in crate::routes) struct RunJob;

impl Endpoint for RunJob {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs/{id}/run";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation =
        Operation::new("runJob", "Let a job go on to its next stop", TAKEN);
    type Path = JobPath;
    type Query = NoQuery;
    type Body = Option<Checked<NoMembers>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        set(&app, &call.caller, &job, Pace::Free).await
    }
}

pub(in crate::routes) struct StepJob;

impl Endpoint for StepJob {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs/{id}/step";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation =
        Operation::new("stepJob", "Let a job make one interaction, and pause", TAKEN);
    type Path = JobPath;
    type Query = NoQuery;
    type Body = Option<Checked<NoMembers>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        set(&app, &call.caller, &job, Pace::Step).await
    }
}

async fn set(app: &App, caller: &Caller, job: &str, pace: Pace) -> Result<Response, Problem> {
    let view = jobs(app, caller).change(job, Change::Pace(pace)).await?;
    Ok(shown(StatusCode::ACCEPTED, &view))
}
