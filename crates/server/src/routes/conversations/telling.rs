//! A turn as a stream of events: its steps, what a model writes meanwhile, and how it ends.
//!
//! The ids of events count what the journal says of the turn from its beginning, so a client that lost the connection goes
//! on without a gap and without a repetition. What a model writes has no id. It is sent by whole sentences, each after the
//! guard has let everything up to it through: what the guard would take out of an answer is in no draft either.

use std::sync::Arc;

use consign_app::conversations::{Drafts, Heard, Watching};
use consign_contracts::json::Json;
use consign_engine::{Engine, Piece, RunId, Seq};
use serde_json::json;

use super::reply::{erased, failure, told};
use crate::{
    error::Problem,
    routes::runs::event_stream::{Telling, Told, frame},
    server::App,
};

pub(super) struct TurnEvents {
    app: Arc<App>,
    /// The number of the turn.
    number: u32,
    watching: Watching,
    /// Events that the client has.
    seen: u64,
    /// Events so far.
    count: u64,
    has_ended: bool,
    drafts: Drafts,
}

impl TurnEvents {
    pub(super) fn new(app: Arc<App>, number: u32, seen: u64) -> Self {
        let watching = Watching::default();
        let drafts = Drafts::default();
        Self { app, number, watching, seen, count: 0, has_ended: false, drafts }
    }

    fn tell(&mut self, frames: &mut String, name: &str, data: &str) {
        self.count += 1;
        if self.count > self.seen {
            frame(frames, Some(name), Some(Seq(self.count)), data);
        }
    }
}

impl Telling for TurnEvents {
    async fn read(
        &mut self,
        engine: &Arc<Engine>,
        run: &RunId,
    ) -> Result<Told, consign_app::Error> {
        // The row first: once it is closed, all events are there to be read.
        let is_over = engine.store().row(run).await?.status.is_closed();
        let mut frames = String::new();
        for (_, heard) in self.watching.more(engine, run).await? {
            match heard {
                Heard::Step(step) => self.tell(&mut frames, "step", &json!(step).to_string()),
                Heard::Answer(outcome) => {
                    self.has_ended = true;
                    let answer = told(&outcome, run, self.number).to_string();
                    self.tell(&mut frames, "answer", &answer);
                }
                end @ (Heard::Failed(_) | Heard::Cancelled) => {
                    self.has_ended = true;
                    self.tell(&mut frames, "error", &failure(end, run).without_request());
                }
            }
        }
        if is_over && !self.has_ended {
            self.has_ended = true;
            self.tell(&mut frames, "error", &erased(run).without_request());
        }
        Ok(Told { frames, has_more: false, is_over })
    }

    async fn said(&mut self, pieces: &[Piece]) -> String {
        let mut frames = String::new();
        self.drafts.take(pieces);
        if let Some(released) = self.drafts.release(&self.app.home).await {
            let mut said = json!({
                "step_id": released.step,
                "attempt": released.attempt,
                "text": released.text,
            });
            if released.reset {
                said["reset"] = json!(true);
            }
            frame(&mut frames, Some("text"), None, &said.to_string());
        }
        frames
    }
}

impl Problem {
    /// The error of a stream, which has no id of its own request.
    fn without_request(&self) -> String {
        let mut error = json!({ "code": self.code_on_wire(), "message": self.message });
        if let Some(details) = &self.details {
            error["details"] = Json::to_serde(details);
        }
        json!({ "error": error }).to_string()
    }
}
