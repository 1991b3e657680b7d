//! `GET /readyz`: the store answers, so that requests can be served.

use std::{sync::Arc, time::Duration};

use axum::{extract::State, http::StatusCode, response::Response, routing::get};
use consign_engine::store;
use tokio::time::timeout;

use super::{Access, Route};
use crate::{error::Problem, respond, server::App};

/// A store that takes longer is not ready.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) const ROUTE: Route = Route {
    method: "get",
    path: "/readyz",
    access: Access::Public,
    handler: || get(readyz),
    operation: r##"{
        "operationId": "ready",
        "summary": "Whether the store answers",
        "responses": {"200": {
            "description": "It does.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Health"}}}
        }}
    }"##,
    form: None,
};

async fn readyz(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let answered = timeout(PATIENCE, app.engine.store().newest()).await;
    answered.map_err(|_| store::Error::Unavailable("the store does not answer".to_owned()))??;
    Ok(respond::text(StatusCode::OK, r#"{"status":"ready"}"#))
}
