//! `GET /api/runs`

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
    routing::get,
};
use consign_contracts::json::Json;
use consign_engine::{Owner, Status, store::RunQuery};

use crate::{
    error::Problem,
    path,
    query::Query,
    respond,
    routes::{Access, Room, Route},
    server::App,
    view,
};

pub(in crate::routes) const ROUTE: Route = Route {
    method: "get",
    path: "/api/runs",
    access: Access::Token,
    room: Room::Requests,
    handler: || get(list),
    operation: r##"{
        "operationId": "listRuns",
        "summary": "Runs, newest first",
        "parameters": [
            {"name": "status", "in": "query", "description": "Only runs that stand so.", "schema": {"type": "string", "enum": ["queued", "running", "waiting", "succeeded", "failed", "cancelled"]}},
            {"name": "workflow", "in": "query", "description": "Only runs of this workflow.", "schema": {"type": "string"}},
            {"name": "owner", "in": "query", "description": "Only runs that this owner pays for.", "schema": {"type": "string"}},
            {"$ref": "#/components/parameters/Limit"},
            {"name": "cursor", "in": "query", "description": "Go on after this run.", "schema": {"type": "string"}}
        ],
        "responses": {"200": {
            "description": "A page.",
            "content": {"application/json": {"schema": {
                "type": "object",
                "required": ["items", "cursor"],
                "properties": {
                    "items": {"type": "array", "items": {"$ref": "#/components/schemas/Run"}},
                    "cursor": {"$ref": "#/components/schemas/Cursor"}
                }
            }}}
        }}
    }"##,
    form: None,
};

async fn list(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let mut query = Query::of(request.uri())?;
    let status = query.read("status", "how a run can stand", Status::from_word)?;
    let workflow = query.take("workflow");
    let owner = query.take("owner").map(Owner::from);
    let most = query.limit()?;
    let before = query.read("cursor", "the id of a run", |id| path::run(id.to_owned()).ok())?;
    query.end()?;
    // One more than is shown tells whether there is more.
    let query = RunQuery { status, workflow, owner, prefix: None, before, most: most + 1 };
    let mut rows = app.engine.store().runs(&query).await?;
    let more = rows.len() > most;
    rows.truncate(most);
    let cursor = rows.last().filter(|_| more).map(|row| row.id.to_string());
    let names = view::pipelines(&app.engine, &rows).await?;
    let listed = rows.iter().zip(&names);
    let items = listed.map(|(row, name)| Json::Object(view::listed(row, name.as_deref())));
    let items = items.collect();
    Ok(respond::text(StatusCode::OK, respond::page(items, cursor)))
}
