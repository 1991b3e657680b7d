//! `GET /healthz`: the process is alive.

use axum::{http::StatusCode, response::Response, routing::get};

use super::{Access, Room, Route};
use crate::respond;

pub(super) const ROUTE: Route = Route {
    method: "get",
    path: "/healthz",
    access: Access::Public,
    room: Room::Always,
    handler: || get(healthz),
    operation: r##"{
        "operationId": "alive",
        "summary": "Whether the process is alive",
        "responses": {"200": {
            "description": "It is.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Health"}}}
        }}
    }"##,
    form: None,
};

async fn healthz() -> Response {
    respond::text(StatusCode::OK, r#"{"status":"alive"}"#)
}
