//! `GET /api/runs/{id}/events`: the journal as it grows, or a page of it.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use consign_contracts::wire::{Integer, wire};
use consign_engine::{RunId, Seq, store::Row};

use super::event_stream::{CHUNK, Credentials, EventStream, Hold};
use crate::{
    caller::Caller,
    endpoint::{Answer, Call, Endpoint, Method, NoBody, Operation, RunPath, page_size},
    error::{Part, Problem},
    gate::overloaded,
    respond,
    server::App,
    view,
    wire::Closing,
};

wire! {
    /// Which entries of the journal.
    pub closed struct Range {
        /// Only entries after this seq.
        after: Option<Integer> [minimum: 0, maximum: u64::MAX - 1],
        /// How many entries.
        limit: Option<Integer> [minimum: 1, maximum: 1000, default: 50],
    }
}

pub(in crate::routes) struct Events;

impl Endpoint for Events {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/runs/{id}/events";
    const OPERATION: Operation = Operation::new(
        "events",
        "The journal of a run as it grows, or a page of it",
        &[
            Answer::json(200, "EventPage", "The journal.").or_stream(),
            Answer::empty(204, "The run is over, and there is nothing after that seq."),
        ],
    )
    .description(
        "As `text/event-stream`: an event per entry of the journal, whose id is its seq and whose data is the entry; \
         what agents say meanwhile comes as events named `text`, without an id. It ends after the closing event; a \
         client that comes back for more is told 204. With `Accept: application/json`: a page.",
    )
    .headers(&[("Last-Event-ID", "Like `after`, and counts in its place.", r#"{"type": "integer", "minimum": 0, "maximum": 18446744073709551614}"#)]);
    type Path = RunPath;
    type Query = Range;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let row = app.engine.store().row(&call.path.0).await?;
        follow(&app, &row, &call.query, &call.caller, call.headers(), call.closing()).await
    }
}

/// The journal of a run as a client wants it: as a stream, or a page.
pub(in crate::routes) async fn follow(
    app: &Arc<App>,
    row: &Row,
    range: &Range,
    caller: &Caller,
    headers: &HeaderMap,
    closing: Option<Closing>,
) -> Result<Response, Problem> {
    let most = page_size(range.limit.as_ref());
    let after = range.after.as_ref().and_then(Integer::as_u64).map(Seq);
    // Browsers come back with the address they began with, and this header.
    let after = last_event_id(headers)?.or(after);
    let from = after.map_or(Seq(0), Seq::next);
    if wants_page(headers) {
        return page(app, row, from, most).await;
    }
    if row.status.is_closed() && from > row.seq {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let slot = app.streams.clone().try_acquire_owned().map_err(|_| overloaded("streams"))?;
    let mut slots = vec![slot];
    let mut still = None;
    if caller.identity().is_some() {
        let own = app.owner_streams.try_take(&caller.owner);
        slots.push(own.ok_or_else(|| overloaded("streams of one user"))?);
        still = Some(Credentials {
            app: app.clone(),
            headers: headers.clone(),
            owner: caller.owner.clone(),
        });
    }
    Ok(stream(app, row.id.clone(), from, closing, Hold { slots, still }))
}

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// A page ends with the event by which it is this large.
const MOST_BYTES: usize = 4 << 20;

fn last_event_id(headers: &HeaderMap) -> Result<Option<Seq>, Problem> {
    let Some(last) = headers.get(LAST_EVENT_ID).filter(|last| !last.is_empty()) else {
        return Ok(None);
    };
    let seq = last.to_str().ok().and_then(|last| last.parse().ok());
    // There is always a seq after the last event.
    seq.filter(|seq| *seq < u64::MAX).map(|seq| Some(Seq(seq))).ok_or_else(|| {
        let told = "the header `last-event-id` is not the id of an event";
        Problem::invalid(Part::Header, "/last-event-id", "type", told)
    })
}

fn stream(app: &App, run: RunId, from: Seq, closing: Option<Closing>, hold: Hold) -> Response {
    let events =
        EventStream::new(app.engine.clone(), run, from, app.options.keep_alive, closing, hold);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        // Some proxies gather answers.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, Body::from_stream(events.frames())).into_response()
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
