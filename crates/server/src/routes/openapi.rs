//! `GET /openapi.json`: what this server offers.

use axum::{http::StatusCode, response::Response, routing::get};

use super::{Access, Room, Route};
use crate::{openapi, respond};

pub(super) const ROUTE: Route = Route {
    method: "get",
    path: "/openapi.json",
    access: Access::Public,
    room: Room::Always,
    handler: || get(document),
    operation: r##"{
        "operationId": "openapi",
        "summary": "This document",
        "responses": {"200": {
            "description": "OpenAPI 3.1.",
            "content": {"application/json": {"schema": {"type": "object"}}}
        }}
    }"##,
    form: None,
};

async fn document() -> Response {
    respond::text(StatusCode::OK, openapi::document())
}
