//! `POST /api/v1/process`: an envelope in, an envelope out.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::Response,
    routing::post,
};
use consign_contracts::json::{self, Json};
use tokio::time::Instant;

use super::{Access, Room, Route};
use crate::{
    Ask, Processed, body, error::Problem, query::Query, respond, server::App, view::object,
    wire::Closing,
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
        "description": "Until the end, a wait, a bound or a stage. A durable run goes on whatever becomes of the request; the same envelope again is the same run. The same answer again changes nothing; another than the first is refused with ALREADY_ANSWERED. Where a run waits for what no answer in the envelope can give, `metadata.waits` has it, as the inbox has. An envelope that is not made a run and is not done in time, or when the server stops, comes back as far as it came in `error.details.envelope`, with 504 or 503.",
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
    let processing = app.processing_turns.each(app.processor.process(body, ask.clone()));
    let Processed { body, run, complete } = processing.await?;
    if !complete && run.is_none() {
        return Err(left(&body, &ask, options.time_limit));
    }
    let status = if complete { StatusCode::OK } else { StatusCode::ACCEPTED };
    let mut response = respond::text(status, body);
    if let Some(location) = run.as_ref().and_then(respond::location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// A carried envelope that came only so far. Nobody goes on with it here, so it must not look done; and nobody
/// else has it.
fn left(envelope: &str, ask: &Ask, limit: Duration) -> Problem {
    let told = "`details.envelope` is as far as it came: send that to go on";
    let problem = match ask.is_closing() {
        true => Problem::new("STOPPING", format!("the server was told to stop; {told}"))
            .with_header(header::RETRY_AFTER, HeaderValue::from_static("1")),
        false => Problem::new("TIMEOUT", format!("it was not done within {limit:?}; {told}")),
    };
    match json::parse(envelope.as_bytes()) {
        Ok(envelope) => {
            problem.with_details(Json::Object(object([("envelope", envelope.into_owned())])))
        }
        Err(_) => problem,
    }
}

/// What is left for writing the answer is not left to the processor.
fn within(limit: Duration) -> Duration {
    limit - (limit / 4).min(Duration::from_secs(1))
}
