//! `POST /api/jobs/{id}/restore` and `/rerun`: puts a job back to where it stood.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::jobs::Change;
use consign_contracts::wire::wire;

use super::{CHANGED, change};
use crate::{
    endpoint::{Access, Call, Checked, Endpoint, JobPath, Method, NoQuery, Operation},
    error::Problem,
    server::App,
};

wire! {
    /// Where the job is put back to.
    pub closed struct RestoreBody {
        /// One of its recovery points, such as `phase-1-complete`; `start` is before everything.
        point: String [minLength: 1, maxLength: 200],
    }
}

wire! {
    /// From where on the job is done again.
    pub closed struct RerunBody {
        /// One of its phases, by its name.
        phase: String [minLength: 1, maxLength: 200],
    }
}

pub(in crate::routes) struct Restore;

impl Endpoint for Restore {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs/{id}/restore";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation =
        Operation::new("restoreJob", "Put a job back to a recovery point, files included", CHANGED)
            .description(
                "For a person. Nothing is deleted: a job that is over goes on in a new run, and metrics go on counting.",
            );
    type Path = JobPath;
    type Query = NoQuery;
    type Body = Checked<RestoreBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (JobPath(job), Checked(RestoreBody { point })) = (call.path, call.body);
        change(&app, &call.caller, &job, Change::Restore(point)).await
    }
}

pub(in crate::routes) struct Rerun;

impl Endpoint for Rerun {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs/{id}/rerun";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation =
        Operation::new("rerunJob", "Put a job back to the beginning of a phase", CHANGED)
            .description("For a person.");
    type Path = JobPath;
    type Query = NoQuery;
    type Body = Checked<RerunBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (JobPath(job), Checked(RerunBody { phase })) = (call.path, call.body);
        change(&app, &call.caller, &job, Change::Rerun(phase)).await
    }
}
