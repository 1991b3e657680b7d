//! `GET /api/runs/{id}/events`: the journal as it grows, or a page of it.

use std::sync::Arc;

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use consign_contracts::wire::{Integer, wire};
use consign_engine::{Seq, store::Row};

use super::event_stream::{CHUNK, EventStream, Hold, Journal, accepts, last_event_id};
use crate::{
    caller::Caller,
    endpoint::{Answer, Call, Endpoint, Method, NoBody, Operation, RunPath, page_size},
    error::Problem,
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
    let hold = Hold::take(app, caller, headers)?;
    Ok(EventStream::new(app, row.id.clone(), Journal { from }, closing, hold).response())
}

/// A page ends with the event by which it is this large.
const MOST_BYTES: usize = 4 << 20;

/// Whether JSON is wanted, and a stream is not.
fn wants_page(headers: &HeaderMap) -> bool {
    accepts(headers, "application/json") && !accepts(headers, "text/event-stream")
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
