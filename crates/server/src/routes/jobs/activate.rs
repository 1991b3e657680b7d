//! `POST /api/jobs/{id}/activate`: lets a job begin.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::jobs::{Activate, Change};
use consign_contracts::wire::wire;

use super::{CHANGED, change};
use crate::{
    endpoint::{Access, Call, Checked, Endpoint, JobPath, Method, NoQuery, Operation},
    error::Problem,
    server::App,
};

wire! {
    /// How a job is activated.
    pub closed struct ActivateBody {
        /// Whether workers go on with it at once; if not, it waits for /run or /step.
        detach: Option<bool> [default: true],
    }
}

pub(in crate::routes) struct ActivateJob;

impl Endpoint for ActivateJob {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs/{id}/activate";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new("activateJob", "Let a job begin", CHANGED);
    type Path = JobPath;
    type Query = NoQuery;
    type Body = Option<Checked<ActivateBody>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        let detach = call.body.and_then(|Checked(body)| body.detach).unwrap_or(true);
        let how = if detach { Activate::Detached } else { Activate::Paused };
        change(&app, &call.caller, &job, Change::Activate(how)).await
    }
}
