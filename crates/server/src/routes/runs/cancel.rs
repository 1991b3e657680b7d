//! `POST /api/runs/{id}/cancel`: asks for a run to end.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_app::runs;
use consign_contracts::wire::wire;

use crate::{
    endpoint::{Answer, Call, Checked, Endpoint, Method, NoQuery, Operation, RunPath},
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// Why the run is to end.
    pub closed struct CancelBody {
        /// Why, for the journal.
        reason: Option<String>,
    }
}

pub(in crate::routes) struct Cancel;

impl Endpoint for Cancel {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/runs/{id}/cancel";
    const OPERATION: Operation = Operation::new(
        "cancel",
        "Ask for a run to end",
        &[
            Answer::json(200, "WholeRun", "The run is over."),
            Answer::json(
                202,
                "WholeRun",
                "The wish was taken, and the worker that has the run closes it; the run as it is now.",
            ),
        ],
    )
    .description(
        "What is under way is told to stop, its cost is settled, and then the run closes as cancelled.",
    );
    type Path = RunPath;
    type Query = NoQuery;
    type Body = Option<Checked<CancelBody>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let RunPath(run) = call.path;
        let reason = call.body.and_then(|Checked(body)| body.reason);
        let by = &call.caller.speaker;
        let row = runs::cancel_unattended(&app.engine, &run, reason, by).await?;
        let status = if row.status.is_closed() { StatusCode::OK } else { StatusCode::ACCEPTED };
        respond::run(&app, status, &row).await
    }
}
