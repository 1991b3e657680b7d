//! `GET /api/runs/{id}/events`: the journal as it grows, or a page of it.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use consign_engine::{RunId, Seq, store::Row};

use super::follow::{CHUNK, Follow};
use crate::{
    error::Problem,
    gate::overloaded,
    path::OfRun,
    query::Query,
    respond,
    routes::{Access, Room, Route},
    server::App,
    view,
    wire::Closing,
};

pub(in crate::routes) const ROUTE: Route = Route {
    method: "get",
    path: "/api/runs/{id}/events",
    access: Access::Token,
    room: Room::Requests,
    handler: || get(events),
    operation: r##"{
        "operationId": "events",
        "summary": "The journal of a run as it grows, or a page of it",
        "description": "As `text/event-stream`: an event per entry of the journal, whose id is its seq and whose data is the entry; what agents say meanwhile comes as events named `text`, without an id. It ends after the closing event; whoever comes back for more is told 204. With `Accept: application/json`: a page.",
        "parameters": [
            {"$ref": "#/components/parameters/RunId"},
            {"name": "after", "in": "query", "description": "Only entries after this seq.", "schema": {"type": "integer", "minimum": 0}},
            {"$ref": "#/components/parameters/Limit"},
            {"name": "Last-Event-ID", "in": "header", "description": "Like `after`, and counts in its place.", "schema": {"type": "integer", "minimum": 0}}
        ],
        "responses": {
            "200": {
                "description": "The journal.",
                "content": {
                    "text/event-stream": {"schema": {"type": "string"}},
                    "application/json": {"schema": {
                        "type": "object",
                        "required": ["items", "cursor"],
                        "properties": {
                            "items": {"type": "array", "items": {"$ref": "#/components/schemas/Event"}},
                            "cursor": {"type": ["integer", "null"], "description": "The `after` of the next page."}
                        }
                    }}
                }
            },
            "204": {"description": "The run is over, and there is nothing after that seq."}
        }
    }"##,
    form: None,
};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// A page ends with the event by which it is this large.
const MOST_BYTES: usize = 4 << 20;

async fn events(
    State(app): State<Arc<App>>,
    OfRun(run): OfRun,
    request: Request,
) -> Result<Response, Problem> {
    let mut query = Query::of(request.uri())?;
    let seq = |given: &str| given.parse().ok().filter(|seq| *seq < u64::MAX).map(Seq);
    let after = query.read("after", "a seq", seq)?;
    let most = query.limit()?;
    query.end()?;
    // Browsers come back with the address they began with, and this header.
    let after = match request.headers().get(LAST_EVENT_ID).filter(|last| !last.is_empty()) {
        None => after,
        Some(last) => {
            let last = last.to_str().ok().and_then(seq);
            Some(last.ok_or_else(|| Problem::invalid("last-event-id is not a seq"))?)
        }
    };
    let from = after.map_or(Seq(0), Seq::next);
    let row = app.engine.store().row(&run).await?;
    if wants_page(request.headers()) {
        return page(&app, &row, from, most).await;
    }
    if row.status.is_closed() && from > row.seq {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let slot = app.streams.clone().try_acquire_owned().map_err(|_| overloaded("streams"))?;
    let closing = request.extensions().get::<Closing>().cloned();
    Ok(stream(&app, run, from, closing, slot))
}

fn stream(
    app: &App,
    run: RunId,
    from: Seq,
    closing: Option<Closing>,
    slot: tokio::sync::OwnedSemaphorePermit,
) -> Response {
    let follow = Follow::new(app.engine.clone(), run, from, app.options.keep_alive, closing, slot);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        // Some proxies gather answers.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, Body::from_stream(follow.frames())).into_response()
}

/// Whether JSON is wanted, and a stream is not.
fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT);
    let named = |media: &str| {
        let names = |value: &HeaderValue| {
            let mut given = value.to_str().unwrap_or_default().split(',');
            given.any(|given| {
                given.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(media)
            })
        };
        accepted.iter().any(names)
    };
    named("application/json") && !named("text/event-stream")
}

async fn page(app: &App, row: &Row, from: Seq, most: usize) -> Result<Response, Problem> {
    let store = app.engine.store();
    let mut items = String::new();
    let (mut next, mut left) = (from, most);
    while left > 0 && next <= row.seq && items.len() < MOST_BYTES {
        let room = MOST_BYTES - items.len();
        let chunk = store.events_within(&row.id, next, left.min(CHUNK), room).await?;
        let Some(last) = chunk.last() else { break };
        next = last.seq.next();
        left -= chunk.len().min(left);
        for record in &chunk {
            if !items.is_empty() {
                items.push(',');
            }
            items += &view::event(record);
        }
    }
    let more = next > from && next <= row.seq;
    let cursor = if more { (next.0 - 1).to_string() } else { "null".to_owned() };
    Ok(respond::text(StatusCode::OK, format!(r#"{{"items":[{items}],"cursor":{cursor}}}"#)))
}
