//! `POST /api/jobs/{id}/raise`: raises the thresholds of a job.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::jobs::Change;
use consign_contracts::{
    json::Number,
    wire::{rules, wire},
};

use super::{CHANGED, change, create::thresholds};
use crate::{
    endpoint::{Access, Call, Checked, Endpoint, JobPath, Method, NoQuery, Operation},
    error::Problem,
    server::App,
};

wire! {
    /// The thresholds to set, each the whole of the new one; 0 lifts it.
    pub closed struct RaiseJobBody {
        /// What the job may cost, in cents.
        cost_threshold: Option<Number<'static>> [minimum: 0],
        /// How long it may work, in minutes.
        time_threshold_minutes: Option<Number<'static>> [minimum: 0, maximum: 10_000_000],
    }
    with rules(r#"{"minProperties": 1}"#)
}

pub(in crate::routes) struct RaiseJob;

impl Endpoint for RaiseJob {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/jobs/{id}/raise";
    const ACCESS: Access = Access::Scope(Scope::Answer);
    const OPERATION: Operation =
        Operation::new("raiseJob", "Raise the thresholds of a job", CHANGED)
            .description("For a person. A job that was halted by a threshold goes on.");
    type Path = JobPath;
    type Query = NoQuery;
    type Body = Checked<RaiseJobBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (JobPath(job), Checked(body)) = (call.path, call.body);
        let (cost, minutes) = (body.cost_threshold, body.time_threshold_minutes);
        let to = thresholds(cost.as_ref(), minutes.as_ref())?;
        change(&app, &call.caller, &job, Change::Raise(to)).await
    }
}
