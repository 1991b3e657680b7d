//! `GET /api/runs/{id}`

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
    routing::get,
};

use crate::{
    error::Problem,
    path::OfRun,
    query::Query,
    respond,
    routes::{Access, Room, Route},
    server::App,
};

pub(in crate::routes) const ROUTE: Route = Route {
    method: "get",
    path: "/api/runs/{id}",
    access: Access::Token,
    room: Room::Requests,
    handler: || get(show),
    operation: r##"{
        "operationId": "showRun",
        "summary": "A run with its input, output or fault, limits, certificate and what it waits for",
        "parameters": [{"$ref": "#/components/parameters/RunId"}],
        "responses": {"200": {
            "description": "The run.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WholeRun"}}}
        }}
    }"##,
    form: None,
};

async fn show(
    State(app): State<Arc<App>>,
    OfRun(run): OfRun,
    request: Request,
) -> Result<Response, Problem> {
    Query::of(request.uri())?.end()?;
    let row = app.engine.store().row(&run).await?;
    respond::run(&app, StatusCode::OK, &row).await
}
