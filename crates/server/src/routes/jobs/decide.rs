//! `POST /api/jobs/{id}/approve` and `/reject`: what a person says to the end of a job.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::jobs::Change;
use consign_contracts::wire::wire;

use super::{CHANGED, NoMembers, change};
use crate::{
    endpoint::{Access, Call, Checked, Endpoint, JobPath, Method, NoQuery, Operation},
    error::Problem,
    server::App,
};

wire! {
    /// A rejection.
    pub closed struct RejectJobBody {
        /// Why: the roles are told.
        why: String [pattern: r"\S"],
    }
}

pub(in crate::routes) struct ApproveJob;

impl Endpoint for ApproveJob {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs/{id}/approve";
    const ACCESS: Access = Access::Scope(Scope::Answer);
    const OPERATION: Operation = Operation::new("approveJob", "Approve the end of a job", CHANGED)
        .description("For a person, where the job waits for it.");
    type Path = JobPath;
    type Query = NoQuery;
    type Body = Option<Checked<NoMembers>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        change(&app, &call.caller, &job, Change::Approve).await
    }
}

pub(in crate::routes) struct RejectJob;

impl Endpoint for RejectJob {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs/{id}/reject";
    const ACCESS: Access = Access::Scope(Scope::Answer);
    const OPERATION: Operation =
        Operation::new("rejectJob", "Send the last phase of a job back", CHANGED)
            .description("For a person, where the job waits for an approval.");
    type Path = JobPath;
    type Query = NoQuery;
    type Body = Checked<RejectJobBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (JobPath(job), Checked(RejectJobBody { why })) = (call.path, call.body);
        change(&app, &call.caller, &job, Change::Reject(why)).await
    }
}
