//! `GET /api/conversations/{session}/turns/{turn}`: a turn, for a client that lost it.

use std::sync::Arc;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use consign_app::conversations::{self, Watching};

use super::reply::{EVENTS, Reply, TurnWait, wants_stream};
use crate::{
    endpoint::{Answer, Call, Capacity, Endpoint, Method, NoBody, Operation, TurnPath},
    error::Problem,
    routes::runs::event_stream::{Hold, last_event_id},
    server::App,
};

pub(in crate::routes) struct ShowTurn;

impl Endpoint for ShowTurn {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/conversations/{session}/turns/{turn}";
    const CAPACITY: Capacity = Capacity::Processing;
    const OPERATION: Operation = Operation::new(
        "showTurn",
        "A turn of a conversation: its answer, or its events as they come",
        &[
            Answer::json(200, "TurnAnswer", "The answer: contract crew/orchestrator.output.")
                .or_stream_of(EVENTS)
                .headers(&[("Location", "The turn, by its number.")]),
            Answer::json(202, "WholeRun", "It is under way: the run.")
                .headers(&[("Location", "The turn, by its number.")]),
            Answer::empty(204, "The turn is over, and there is nothing after that event."),
        ],
    )
    .description(
        "`turn` is a number, from 1, or `last`. A turn that ended without an answer gives the code that it ended with, and \
         contract crew/agent-failure in `details`.",
    )
    .headers(&[(
        "Last-Event-ID",
        "The last event that the client has; the stream goes on after it.",
        r#"{"type": "integer", "minimum": 0, "maximum": 18446744073709551614}"#,
    )]);
    type Path = TurnPath;
    type Query = TurnWait;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let TurnPath(session, which) = &call.path;
        let seen = last_event_id(call.headers())?.map_or(0, |seq| seq.0);
        let found = conversations::turn(&app.home, &call.caller.owner, session, *which).await?;
        let (number, row) = found;
        let reply = Reply { session: session.clone(), number, run: row.id.clone() };
        if !wants_stream(call.headers()) {
            return reply.wait(&app, &call.query, call.received, call.closing()).await;
        }
        if row.redacted {
            return Err(super::reply::erased(&row.id));
        }
        if row.status.is_closed() && seen > 0 {
            let all = Watching::default().more(&app.engine, &row.id).await?.len();
            if seen >= all as u64 {
                return Ok(StatusCode::NO_CONTENT.into_response());
            }
        }
        let hold = Hold::take(&app, &call.caller, call.headers())?;
        reply.stream(&app, call.closing(), hold, seen)
    }
}
