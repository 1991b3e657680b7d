//! `POST /api/jobs/{id}/adopt`: takes over what a person changed in the manifest of a job.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::jobs::Change;

use super::{CHANGED, NoMembers, change};
use crate::{
    endpoint::{Access, Call, Checked, Endpoint, JobPath, Method, NoQuery, Operation},
    error::Problem,
    server::App,
};

pub(in crate::routes) struct Adopt;

impl Endpoint for Adopt {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs/{id}/adopt";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "adoptJob",
        "Take over what a person changed in the manifest of a job",
        CHANGED,
    )
    .description(
        "For a person. Description, thresholds, approval and phases that were not begun can be changed; anything else is refused by name.",
    );
    type Path = JobPath;
    type Query = NoQuery;
    type Body = Option<Checked<NoMembers>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        change(&app, &call.caller, &job, Change::Adopt).await
    }
}
