//! `GET /readyz`: the store answers and somebody drives runs, so that requests can be served.

use std::{sync::Arc, time::Duration};

use axum::{extract::State, http::StatusCode, response::Response, routing::get};
use consign_engine::store;
use tokio::time::timeout;

use super::{Access, Room, Route};
use crate::{error::Problem, gate::UNATTENDED, respond, server::App};

/// A store that takes longer is not ready.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) const ROUTE: Route = Route {
    method: "get",
    path: "/readyz",
    access: Access::Public,
    room: Room::Always,
    handler: || get(readyz),
    operation: r##"{
        "operationId": "ready",
        "summary": "Whether the store answers, and runs are driven",
        "responses": {"200": {
            "description": "So it is.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Health"}}}
        }}
    }"##,
    form: None,
};

async fn readyz(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    if !app.options.attended.get() {
        let told = "nobody drives runs here just now; what is accepted waits until somebody does";
        return Err(Problem::new(UNATTENDED, told));
    }
    let answered = timeout(PATIENCE, app.engine.store().newest()).await;
    answered.map_err(|_| store::Error::Unavailable("the store does not answer".to_owned()))??;
    Ok(respond::text(StatusCode::OK, r#"{"status":"ready"}"#))
}
