//! A run as a stream of server-sent events.
//!
//! [`EventStream`] waits, keeps the connection alive and ends it; a [`Telling`] says what a client is told of the run.
//! [`Journal`] tells the entries of the journal, which have their seq for an id, so that a client that lost the connection
//! goes on without a gap and without a repetition. What agents say meanwhile has no id, is best effort, and is sent again
//! from its beginning to a client that missed some of it.

use std::{convert::Infallible, fmt::Write, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use consign_contracts::json::Json;
use consign_engine::{Engine, Owner, Piece, RunId, Seq, store::Tick};
use futures_util::{Stream, stream::unfold};
use tokio::{
    sync::{OwnedSemaphorePermit, broadcast},
    time::{Instant, sleep_until},
};

use crate::{
    caller::Caller,
    error::{Part, Problem},
    gate::{are_still, overloaded},
    server::App,
    view::{self, object},
    wire::Closing,
};

/// Events that are read at a time, and how large they may be together: for a slow reader we hold
/// that much and one event.
pub(super) const CHUNK: usize = 100;
const CHUNK_BYTES: usize = 256 << 10;
/// Pieces of text that are sent at a time.
const PIECES: usize = 100;

/// What a client is told of a run.
pub(in crate::routes) trait Telling: Sized + Send + 'static {
    /// What has happened since the last call. An error ends the stream: a client that comes back is told why.
    fn read(
        &mut self,
        engine: &Arc<Engine>,
        run: &RunId,
    ) -> impl Future<Output = Result<Told, consign_app::Error>> + Send;

    /// What an agent says meanwhile, as frames; there may be none.
    fn said(&mut self, pieces: &[Piece]) -> impl Future<Output = String> + Send;
}

/// What there is to tell.
pub(in crate::routes) struct Told {
    pub(in crate::routes) frames: String,
    /// There may be more at once.
    pub(in crate::routes) has_more: bool,
    pub(in crate::routes) is_over: bool,
}

/// A run as the entries of its journal.
pub(in crate::routes) struct Journal {
    /// The next entry to tell.
    pub(in crate::routes) from: Seq,
}

impl Telling for Journal {
    async fn read(
        &mut self,
        engine: &Arc<Engine>,
        run: &RunId,
    ) -> Result<Told, consign_app::Error> {
        let store = engine.store();
        // The row first: once it is closed, all events are there to be read.
        let row = store.row(run).await?;
        let mut frames = String::new();
        if row.seq >= self.from {
            for record in store.events_within(run, self.from, CHUNK, CHUNK_BYTES).await? {
                self.from = record.seq.next();
                frame(&mut frames, None, Some(record.seq), &view::event(&record));
            }
        }
        let has_more = row.seq >= self.from && !frames.is_empty();
        let is_over = row.status.is_closed() && row.seq < self.from;
        Ok(Told { frames, has_more, is_over })
    }

    async fn said(&mut self, pieces: &[Piece]) -> String {
        pieces.iter().map(text).collect()
    }
}

pub(in crate::routes) struct EventStream<T> {
    engine: Arc<Engine>,
    run: RunId,
    telling: T,
    tick: Tick,
    /// Whether there may be something to read.
    look: bool,
    over: bool,
    /// What was said before we listened, or while we did not keep up.
    missed: Vec<Piece>,
    pieces: broadcast::Receiver<Piece>,
    keep_alive: Duration,
    closing: Option<Closing>,
    hold: Hold,
}

/// What a stream holds for as long as it is open.
pub(in crate::routes) struct Hold {
    slots: Vec<OwnedSemaphorePermit>,
    /// The credentials that it was opened with, where they can be taken away.
    still: Option<Credentials>,
}

/// Credentials that are looked at again while a stream is open: it must not outlive a log-out.
struct Credentials {
    app: Arc<App>,
    headers: HeaderMap,
    owner: Owner,
}

impl Hold {
    /// A place for a stream of this caller.
    pub(in crate::routes) fn take(
        app: &Arc<App>,
        caller: &Caller,
        headers: &HeaderMap,
    ) -> Result<Self, Problem> {
        let slot = app.streams.clone().try_acquire_owned().map_err(|_| overloaded("streams"))?;
        let mut slots = vec![slot];
        let mut still = None;
        if caller.identity().is_some() {
            let own = app.owner_streams.try_take(&caller.owner);
            slots.push(own.ok_or_else(|| overloaded("streams of one user"))?);
            let (app, headers) = (app.clone(), headers.clone());
            still = Some(Credentials { app, headers, owner: caller.owner.clone() });
        }
        Ok(Self { slots, still })
    }

    async fn is_allowed(&self) -> bool {
        match &self.still {
            None => !self.slots.is_empty(),
            Some(Credentials { app, headers, owner }) => are_still(app, headers, owner).await,
        }
    }
}

impl<T: Telling> EventStream<T> {
    pub(in crate::routes) fn new(
        app: &App,
        run: RunId,
        telling: T,
        closing: Option<Closing>,
        hold: Hold,
    ) -> Self {
        let engine = app.engine.clone();
        let listening = engine.listen(&run);
        Self {
            engine,
            run,
            telling,
            tick: Tick::default(),
            look: true,
            over: false,
            missed: listening.so_far,
            pieces: listening.pieces,
            keep_alive: app.options.keep_alive,
            closing,
            hold,
        }
    }

    pub(in crate::routes) fn response(self) -> Response {
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
            // Some proxies gather answers.
            (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
        ];
        (headers, Body::from_stream(self.frames())).into_response()
    }

    fn frames(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        unfold(self, async |mut events| {
            let frames = events.next().await?;
            if !events.hold.is_allowed().await {
                return None;
            }
            Some((Ok(Bytes::from(frames)), events))
        })
    }

    /// What there is to send next; `None` at the end. A store that cannot be read ends it too: a client
    /// that comes back is told why.
    async fn next(&mut self) -> Option<String> {
        let alive_at = Instant::now() + self.keep_alive;
        loop {
            if self.over {
                return None;
            }
            if self.look {
                let told = self.telling.read(&self.engine, &self.run).await.ok()?;
                (self.look, self.over) = (told.has_more, told.is_over);
                if !told.frames.is_empty() {
                    return Some(told.frames);
                }
                continue;
            }
            // Only after the events that were there, so that who says something is known.
            if !self.missed.is_empty() {
                let missed = std::mem::take(&mut self.missed);
                let frames = self.telling.said(&missed).await;
                if !frames.is_empty() {
                    return Some(frames);
                }
            }
            let store = self.engine.store();
            let closing = async {
                match &mut self.closing {
                    Some(closing) => closing.wait().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = closing => return None,
                now = store.changed(self.tick) => {
                    self.look = now != self.tick;
                    self.tick = now;
                }
                heard = self.pieces.recv() => match heard {
                    Ok(piece) => {
                        let frames = self.said(piece).await;
                        if !frames.is_empty() {
                            return Some(frames);
                        }
                    }
                    Err(broadcast::error::RecvError::Lagged(_)
                        | broadcast::error::RecvError::Closed) => {
                        let listening = self.engine.listen(&self.run);
                        (self.missed, self.pieces) = (listening.so_far, listening.pieces);
                    }
                },
                () = sleep_until(alive_at) => return Some(": alive\n\n".to_owned()),
            }
        }
    }

    async fn said(&mut self, first: Piece) -> String {
        let mut pieces = vec![first];
        while pieces.len() < PIECES
            && let Ok(piece) = self.pieces.try_recv()
        {
            pieces.push(piece);
        }
        self.telling.said(&pieces).await
    }
}

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The id of the last event that a client has, by its header.
pub(in crate::routes) fn last_event_id(headers: &HeaderMap) -> Result<Option<Seq>, Problem> {
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

/// Whether a client says that it takes this media type.
pub(in crate::routes) fn accepts(headers: &HeaderMap, media: &str) -> bool {
    let names = |value: &HeaderValue| {
        let mut given = value.to_str().unwrap_or_default().split(',');
        given.any(|given| {
            given.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(media)
        })
    };
    headers.get_all(header::ACCEPT).iter().any(names)
}

fn text(piece: &Piece) -> String {
    let number = |value: u64| Json::Number(value.into());
    let mut told = object([
        ("activity", Json::from(piece.activity.as_str())),
        ("attempt", number(piece.attempt.into())),
        ("offset", number(piece.offset as u64)),
        ("text", Json::from(&*piece.text)),
    ]);
    if piece.reset {
        told.set("reset", Json::Bool(true));
    }
    let mut frames = String::new();
    frame(&mut frames, Some("text"), None, &Json::Object(told).to_string());
    frames
}

/// `data` is JSON on one line.
pub(in crate::routes) fn frame(
    frames: &mut String,
    name: Option<&str>,
    id: Option<Seq>,
    data: &str,
) {
    if let Some(name) = name {
        let _ = writeln!(frames, "event: {name}");
    }
    if let Some(id) = id {
        let _ = writeln!(frames, "id: {id}");
    }
    let _ = write!(frames, "data: {data}\n\n");
}
