//! `GET /api/runs/{id}`: one run with everything that belongs to it.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};

use crate::{
    endpoint::{Answer, Call, Endpoint, Method, NoBody, NoQuery, Operation, RunPath},
    error::Problem,
    respond,
    server::App,
};

pub(in crate::routes) struct ShowRun;

impl Endpoint for ShowRun {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/runs/{id}";
    const OPERATION: Operation = Operation::new(
        "showRun",
        "A run with its input, output or fault, limits, certificate and what it waits for",
        &[Answer::json(200, "WholeRun", "The run.")],
    );
    type Path = RunPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let RunPath(run) = call.path;
        let row = app.engine.store().row(&run).await?;
        respond::run(&app, StatusCode::OK, &row).await
    }
}
