//! `POST /api/runs/{id}/raise`

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::Response,
    routing::post,
};

use super::limits;
use crate::{
    body,
    error::Problem,
    form::{Form, compile},
    path::OfRun,
    query::Query,
    respond,
    routes::{Access, Room, Route},
    server::App,
};

static FORM: Form = Form::new("Raise", SOURCE, || compile(SOURCE));

const SOURCE: &str = r#"{
    "type": "object",
    "additionalProperties": false,
    "minProperties": 1,
    "properties": {
        "cost_usd": {"type": "number", "minimum": 0, "description": "What it may cost from now on."},
        "minutes": {"type": "number", "exclusiveMinimum": 0, "description": "How long it may work from now on."},
        "calls": {"type": "integer", "minimum": 0, "description": "How many calls it may make from now on."}
    }
}"#;

pub(in crate::routes) const ROUTE: Route = Route {
    method: "post",
    path: "/api/runs/{id}/raise",
    access: Access::Token,
    room: Room::Requests,
    handler: || post(raise),
    operation: r##"{
        "operationId": "raise",
        "summary": "Set higher limits",
        "description": "Each value is the whole new limit, not what is added to it. Limits only go up.",
        "parameters": [{"$ref": "#/components/parameters/RunId"}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Raise"}}}},
        "responses": {"200": {
            "description": "They were set; the run as it is now.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WholeRun"}}}
        }}
    }"##,
    form: Some(&FORM),
};

async fn raise(
    State(app): State<Arc<App>>,
    OfRun(run): OfRun,
    request: Request,
) -> Result<Response, Problem> {
    Query::of(request.uri())?.end()?;
    let most = app.options.max_body_bytes;
    let body = body::json(request, most).await?;
    let wanted = limits::read(&FORM.read(&body, most)?)?;
    app.engine.raise(&run, &wanted, &app.options.actor).await?;
    let row = app.engine.store().row(&run).await?;
    respond::delivered(&app, &row).await
}
