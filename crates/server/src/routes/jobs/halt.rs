//! `POST /api/jobs/{id}/halt`: ends a job that is stuck.

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

pub(in crate::routes) struct Halt;

impl Endpoint for Halt {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs/{id}/halt";
    const ACCESS: Access = Access::Scope(Scope::Answer);
    const OPERATION: Operation = Operation::new(
        "haltJob",
        "End a job that is stuck",
        CHANGED,
    )
    .description(
        "For a person, where the job is INTERVENTION_REQUIRED; /cancel ends a job wherever it stands.",
    );
    type Path = JobPath;
    type Query = NoQuery;
    type Body = Option<Checked<NoMembers>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let JobPath(job) = call.path;
        change(&app, &call.caller, &job, Change::Halt).await
    }
}
