//! `POST /api/jobs/{id}/advise`: helps a job that is stuck.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::jobs::{Advice, Change};
use consign_contracts::wire::wire;

use super::{CHANGED, change};
use crate::{
    endpoint::{Access, Call, Checked, Endpoint, JobPath, Method, NoQuery, Operation},
    error::Problem,
    server::App,
};

wire! {
    /// Advice for the role that is stuck.
    pub closed struct AdviseBody {
        /// What it is told.
        text: String [pattern: r"\S"],
        /// Whether the phase begins from its starting workspace.
        reset: Option<bool> [default: false],
    }
}

pub(in crate::routes) struct Advise;

impl Endpoint for Advise {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs/{id}/advise";
    const ACCESS: Access = Access::Scope(Scope::Answer);
    const OPERATION: Operation = Operation::new(
        "adviseJob",
        "Help a job that is stuck",
        CHANGED,
    )
    .description(
        "For a person, where the job is INTERVENTION_REQUIRED. The advice goes into the next prompt of the role that was stuck.",
    );
    type Path = JobPath;
    type Query = NoQuery;
    type Body = Checked<AdviseBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (JobPath(job), Checked(AdviseBody { text, reset })) = (call.path, call.body);
        let advice = Advice { text, reset: reset.unwrap_or(false) };
        change(&app, &call.caller, &job, Change::Advise(advice)).await
    }
}
