//! How a client is told of a turn: its answer once it is there, or its events as they come.

use std::{sync::Arc, time::Duration};

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use consign_app::{
    conversations::{Heard, TurnOutcome, Watching, orchestrator_output},
    runs,
};
use consign_contracts::wire::{Integer, wire};
use consign_engine::{RunId, store};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::telling::TurnEvents;
use crate::{
    error::Problem,
    respond,
    routes::runs::event_stream::{EventStream, Hold, accepts},
    server::App,
    wire::Closing,
};

wire! {
    /// How long to wait.
    pub closed struct TurnWait {
        /// Wait at most so many seconds for the answer; as long as a request may take if left out.
        wait: Option<Integer> [minimum: 0, maximum: 3600],
    }
}

/// What the document says of the stream.
pub(super) const EVENTS: &str = "Events named `step` (a step of the plan, as it begins and as it ends), then `answer` (TurnAnswer) or `error` \
    (an object with `error`, as every error has it); their ids count from 1. Events named `text`, without an id, are what a model \
    writes meanwhile: a draft that is not verified. `reset` in one says that the draft begins anew.";

/// A turn that a client is told of.
pub(super) struct Reply {
    pub(super) session: String,
    /// Counts from 1.
    pub(super) number: u32,
    pub(super) run: RunId,
}

pub(super) fn wants_stream(headers: &HeaderMap) -> bool {
    accepts(headers, "text/event-stream")
}

impl Reply {
    /// The events of the turn, after as many as the client has seen.
    pub(super) fn stream(
        self,
        app: &Arc<App>,
        closing: Option<Closing>,
        hold: Hold,
        seen: u64,
    ) -> Result<Response, Problem> {
        let location = self.location();
        let telling = TurnEvents::new(app.clone(), self.number, seen);
        let mut response = EventStream::new(app, self.run, telling, closing, hold).response();
        response.headers_mut().extend(location.map(|place| (header::LOCATION, place)));
        Ok(response)
    }

    /// The answer, if it comes in time.
    pub(super) async fn wait(
        self,
        app: &Arc<App>,
        wait: &TurnWait,
        received: Instant,
        closing: Option<Closing>,
    ) -> Result<Response, Problem> {
        // The request's own time is over before the server's.
        let limit = app.options.time_limit.saturating_sub(Duration::from_secs(1));
        let wanted = wait.wait.as_ref().and_then(Integer::as_u64).map(Duration::from_secs);
        let until = received + wanted.map_or(limit, |wanted| wanted.min(limit));
        let row = runs::wait(&app.engine, &self.run, until, closing).await?;
        let mut response = match row.status.is_closed() {
            true if row.redacted => return Err(erased(&row.id)),
            true => respond::text(StatusCode::OK, self.answer(app).await?.to_string()),
            false => respond::run(app, StatusCode::ACCEPTED, &row).await?,
        };
        response.headers_mut().extend(self.location().map(|place| (header::LOCATION, place)));
        Ok(response)
    }

    /// What a turn that is over has come to.
    async fn answer(&self, app: &App) -> Result<Value, Problem> {
        let heard = Watching::default().more(&app.engine, &self.run).await?;
        match heard.into_iter().next_back() {
            Some((_, Heard::Answer(outcome))) => Ok(told(&outcome, &self.run, self.number)),
            Some((_, end)) => Err(failure(end, &self.run)),
            None => Err(erased(&self.run)),
        }
    }

    fn location(&self) -> Option<HeaderValue> {
        let session = utf8_percent_encode(&self.session, PLAIN);
        let place = format!("/api/conversations/{session}/turns/{}", self.number);
        HeaderValue::try_from(place).ok()
    }
}

/// What stands in a path as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Contract `crew/orchestrator.output`, with the number of the turn.
pub(super) fn told(outcome: &TurnOutcome, run: &RunId, number: u32) -> Value {
    let mut told = orchestrator_output(outcome, run);
    told["turn"] = json!(number);
    told
}

/// Why a turn has no answer.
pub(super) fn failure(end: Heard, run: &RunId) -> Problem {
    match end {
        Heard::Failed(fault) => (*fault).into(),
        Heard::Cancelled => {
            Problem::new("INVALID_STATE", format!("the turn was cancelled: run {run}"))
        }
        Heard::Step(_) | Heard::Answer(_) => erased(run),
    }
}

/// The turn is over, and what it said is erased.
pub(super) fn erased(run: &RunId) -> Problem {
    store::Error::Redacted(run.clone()).into()
}
