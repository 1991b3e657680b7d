//! `POST /api/runs/{id}/raise`: sets higher limits.

use std::sync::Arc;

use axum::response::Response;
use consign_accounts::Scope;
use consign_app::runs;
use consign_contracts::{
    json::Number,
    wire::{Integer, rules, wire},
};

use super::limits::LimitsBody;
use crate::{
    endpoint::{Access, Answer, Call, Checked, Endpoint, Method, NoQuery, Operation, RunPath},
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// The limits to set.
    pub closed struct RaiseBody {
        /// What it may cost from now on.
        cost_usd: Option<Number<'static>> [minimum: 0],
        /// How long it may work from now on.
        minutes: Option<Number<'static>> [exclusiveMinimum: 0],
        /// How many calls it may make from now on.
        calls: Option<Integer> [minimum: 0],
    }
    with rules(r#"{"minProperties": 1}"#)
}

pub(in crate::routes) struct Raise;

impl Endpoint for Raise {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/runs/{id}/raise";
    const ACCESS: Access = Access::Scope(Scope::Answer);
    const OPERATION: Operation = Operation::new(
        "raise",
        "Set higher limits",
        &[Answer::json(200, "WholeRun", "They were set; the run as it is now.")],
    )
    .description("Each value is the whole new limit, not what is added to it. Limits only go up.");
    type Path = RunPath;
    type Query = NoQuery;
    type Body = Checked<RaiseBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let RunPath(run) = call.path;
        let Checked(RaiseBody { cost_usd, minutes, calls }) = call.body;
        let wanted = LimitsBody { cost_usd, minutes, calls }.read("")?;
        let row = runs::raise(&app.engine, &run, &wanted, &call.caller.speaker).await?;
        respond::delivered(&app, &row).await
    }
}
