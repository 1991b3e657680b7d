//! `GET /api/runs/{id}/points`: the recovery points from which a run can be forked by name.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_app::runs;
use consign_contracts::json::Json;
use consign_engine::RecoveryPoint;

use crate::{
    endpoint::{Answer, Call, Endpoint, Method, NoBody, NoQuery, Operation, RunPath},
    error::Problem,
    respond,
    server::App,
    view,
};

pub(in crate::routes) struct Points;

impl Endpoint for Points {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/runs/{id}/points";
    const OPERATION: Operation = Operation::new(
        "points",
        "The recovery points of a run, oldest first",
        &[Answer::json(200, "PointPage", "All of them.")],
    )
    .description("A pipeline has one after every stage; `start` is before everything.");
    type Path = RunPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let RunPath(run) = call.path;
        let reading = runs::points(&app.engine, &run);
        let points = app.compute_permits.run(reading).await?;
        let items = points.iter().map(|RecoveryPoint { run, name, seq, at }| {
            Json::Object(view::object([
                ("point", view::text(name)),
                ("run", view::text(run)),
                ("seq", view::number(seq.0)),
                ("at", view::at(*at)),
            ]))
        });
        Ok(respond::text(StatusCode::OK, respond::page(items.collect(), None)))
    }
}
