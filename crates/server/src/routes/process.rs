//! `POST /api/v1/process`: an envelope in, an envelope out.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    http::{StatusCode, header},
    response::Response,
    routing::post,
};
use tokio::time::Instant;

use super::{Access, Room, Route};
use crate::{
    Ask, Processed, body, error::Problem, query::Query, respond, server::App, wire::Closing,
};

pub(super) const ROUTE: Route = Route {
    method: "post",
    path: "/api/v1/process",
    access: Access::Token,
    room: Room::Processing,
    handler: || post(process),
    operation: r##"{
        "operationId": "process",
        "summary": "Process an envelope",
        "description": "Until the end, a wait, a bound or a stage. A durable run goes on whatever becomes of the request; the same envelope again is the same run. The same answer again changes nothing; another than the first is refused with ALREADY_ANSWERED. Where a run waits for what no answer in the envelope can give, `metadata.waits` has it, as the inbox has.",
        "parameters": [
            {"name": "durable", "in": "query", "description": "Make a run of it.", "schema": {"type": "boolean", "default": false}},
            {"name": "until", "in": "query", "description": "Stop after this stage.", "schema": {"type": "string", "minLength": 1}}
        ],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Envelope"}}}},
        "responses": {
            "200": {
                "description": "The envelope as it came out.",
                "headers": {"Location": {"description": "The run, where it is durable.", "schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Envelope"}}}
            },
            "202": {
                "description": "The envelope of a durable run that is not over yet, as it stands.",
                "headers": {"Location": {"description": "The run.", "schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Envelope"}}}
            }
        }
    }"##,
    form: None,
};

async fn process(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let came = Instant::now();
    let mut query = Query::of(request.uri())?;
    let durable = query.read("durable", "true or false", |given| given.parse().ok())?;
    let until = query.read("until", "the name of a stage", |given| {
        (!given.is_empty()).then(|| given.to_owned())
    })?;
    query.end()?;
    let options = &app.options;
    let closing = request.extensions().get::<Closing>().cloned();
    let body = body::json(request, options.max_body_bytes).await?;
    let ask = Ask {
        until,
        durable: durable.unwrap_or(false),
        owner: options.owner.clone(),
        actor: options.actor.clone(),
        within: within(options.time_limit),
        came,
        closing,
    };
    let processing = app.processing_turns.each(app.processor.process(body, ask));
    let Processed { body, run, complete } = processing.await?;
    let status = if complete { StatusCode::OK } else { StatusCode::ACCEPTED };
    let mut response = respond::text(status, body);
    if let Some(location) = run.as_ref().and_then(respond::location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// What is left for writing the answer is not left to the processor.
fn within(limit: Duration) -> Duration {
    limit - (limit / 4).min(Duration::from_secs(1))
}
