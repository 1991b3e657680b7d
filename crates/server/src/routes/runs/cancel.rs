//! `POST /api/runs/{id}/cancel`

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
    routing::post,
};
use consign_contracts::json::Json;
use consign_engine::{Engine, Placement, RunId, Stop};
use tokio::sync::watch;

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

static FORM: Form = Form::new("Cancel", SOURCE, || compile(SOURCE));

const SOURCE: &str = r#"{
    "type": "object",
    "additionalProperties": false,
    "properties": {
        "reason": {"type": "string", "description": "Why, for the journal."}
    }
}"#;

pub(in crate::routes) const ROUTE: Route = Route {
    method: "post",
    path: "/api/runs/{id}/cancel",
    access: Access::Token,
    room: Room::Requests,
    handler: || post(cancel),
    operation: r##"{
        "operationId": "cancel",
        "summary": "Ask for a run to end",
        "description": "What is under way is told to stop, its cost is settled, and then the run closes as cancelled.",
        "parameters": [{"$ref": "#/components/parameters/RunId"}],
        "requestBody": {"required": false, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Cancel"}}}},
        "responses": {
            "200": {
                "description": "The run is over.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WholeRun"}}}
            },
            "202": {
                "description": "The wish was taken, and whoever has the run closes it; the run as it is now.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WholeRun"}}}
            }
        }
    }"##,
    form: Some(&FORM),
};

async fn cancel(
    State(app): State<Arc<App>>,
    OfRun(run): OfRun,
    request: Request,
) -> Result<Response, Problem> {
    Query::of(request.uri())?.end()?;
    let most = app.options.max_body_bytes;
    let reason = match body::json_if_any(request, most).await? {
        Some(body) => {
            let given = FORM.read(&body, most)?;
            given.get("reason").and_then(Json::as_str).map(str::to_owned)
        }
        None => None,
    };
    app.engine.cancel(&run, reason, &app.options.actor).await?;
    let mut row = app.engine.store().row(&run).await?;
    if row.placement == Placement::Foreground && row.worker.is_none() {
        close(&app.engine, &run).await;
        row = app.engine.store().row(&run).await?;
    }
    let status = if row.status.is_closed() { StatusCode::OK } else { StatusCode::ACCEPTED };
    respond::run(&app, status, &row).await
}

/// Closes a run that no worker would take. If that fails, somebody else has it or will: the wish to
/// cancel is in its journal.
async fn close(engine: &Arc<Engine>, run: &RunId) {
    let (engine, run) = (engine.clone(), run.clone());
    // On its own, so that it ends even if nobody waits for the answer any more.
    let closing = tokio::spawn(async move {
        let seat = engine.enlist().await?;
        let drive = seat.take(&run).await?;
        let (_go_on, stop) = watch::channel(Stop::GoOn);
        seat.attend(drive, stop).await
    });
    let _ = closing.await;
}
