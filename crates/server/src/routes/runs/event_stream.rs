//! A run as a stream of server-sent events.
//!
//! Entries of the journal have their seq for an id, so that a client that lost the connection goes on without
//! a gap and without a repetition. What agents say meanwhile has no id, is best effort, and
//! is sent again from its beginning to a client that missed some of it.

use std::{convert::Infallible, fmt::Write, sync::Arc, time::Duration};

use axum::http::HeaderMap;
use bytes::Bytes;
use consign_contracts::json::Json;
use consign_engine::{
    Engine, Owner, Piece, RunId, Seq,
    store::{self, Tick},
};
use futures_util::{Stream, stream::unfold};
use tokio::{
    sync::{OwnedSemaphorePermit, broadcast},
    time::{Instant, sleep_until},
};

use crate::{
    gate::are_still,
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

pub(super) struct EventStream {
    engine: Arc<Engine>,
    run: RunId,
    /// The next event to send.
    from: Seq,
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
pub(super) struct Hold {
    pub(super) slots: Vec<OwnedSemaphorePermit>,
    /// The credentials that it was opened with, where they can be taken away.
    pub(super) still: Option<Credentials>,
}

/// Credentials that are looked at again while a stream is open: it must not outlive a log-out.
pub(super) struct Credentials {
    pub(super) app: Arc<App>,
    pub(super) headers: HeaderMap,
    pub(super) owner: Owner,
}

impl Hold {
    async fn is_allowed(&self) -> bool {
        match &self.still {
            None => !self.slots.is_empty(),
            Some(Credentials { app, headers, owner }) => are_still(app, headers, owner).await,
        }
    }
}

impl EventStream {
    pub(super) fn new(
        engine: Arc<Engine>,
        run: RunId,
        from: Seq,
        keep_alive: Duration,
        closing: Option<Closing>,
        hold: Hold,
    ) -> Self {
        let listening = engine.listen(&run);
        Self {
            engine,
            run,
            from,
            tick: Tick::default(),
            look: true,
            over: false,
            missed: listening.so_far,
            pieces: listening.pieces,
            keep_alive,
            closing,
            hold,
        }
    }

    pub(super) fn frames(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
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
                let events = self.read().await.ok()?;
                if !events.is_empty() {
                    return Some(events);
                }
                continue;
            }
            // Only after the events that were there, so that who says something is known.
            if !self.missed.is_empty() {
                let missed = std::mem::take(&mut self.missed);
                return Some(missed.iter().map(text).collect());
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
                    Ok(piece) => return Some(self.said(&piece)),
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

    async fn read(&mut self) -> Result<String, store::Error> {
        let store = self.engine.store();
        // The row first: once it is closed, all events are there to be read.
        let row = store.row(&self.run).await?;
        let mut frames = String::new();
        if row.seq >= self.from {
            for record in store.events_within(&self.run, self.from, CHUNK, CHUNK_BYTES).await? {
                self.from = record.seq.next();
                frame(&mut frames, None, Some(record.seq), &view::event(&record));
            }
        }
        self.look = row.seq >= self.from && !frames.is_empty();
        self.over = row.status.is_closed() && row.seq < self.from;
        Ok(frames)
    }

    fn said(&mut self, first: &Piece) -> String {
        let mut frames = text(first);
        for _ in 1..PIECES {
            let Ok(piece) = self.pieces.try_recv() else { break };
            frames += &text(&piece);
        }
        frames
    }
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
fn frame(frames: &mut String, name: Option<&str>, id: Option<Seq>, data: &str) {
    if let Some(name) = name {
        let _ = writeln!(frames, "event: {name}");
    }
    if let Some(id) = id {
        let _ = writeln!(frames, "id: {id}");
    }
    let _ = write!(frames, "data: {data}\n\n");
}
