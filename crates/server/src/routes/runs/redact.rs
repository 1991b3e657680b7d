//! `POST /api/runs/{id}/redact`: erases what a run that is over has said and heard.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_app::runs;

use crate::{
    endpoint::{Answer, Call, Endpoint, Method, NoBody, NoQuery, Operation, RunPath},
    error::Problem,
    respond,
    server::App,
};

pub(in crate::routes) struct Redact;

impl Endpoint for Redact {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/runs/{id}/redact";
    const OPERATION: Operation = Operation::new(
        "redact",
        "Erase what a run that is over has said and heard",
        &[Answer::json(200, "WholeRun", "It is erased, now or before; what is kept of the run.")],
    )
    .description(
        "The bodies of its events, its state and its questions are erased for good. Status, times, kinds of events, \
         actors and costs stay, and the chain of the journal still holds. A run that is not over gets INVALID_STATE.",
    );
    type Path = RunPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let RunPath(run) = call.path;
        let redacted = runs::redact(&app.engine, &run, &call.caller.speaker).await?;
        respond::run(&app, StatusCode::OK, &redacted.row).await
    }
}
