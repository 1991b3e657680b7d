//! A turn as a stream of events: its steps, what a model writes meanwhile, and how it ends.
//!
//! The ids of events count what the journal says of the turn from its beginning, so a client that lost the connection goes
//! on without a gap and without a repetition. What a model writes has no id. It is sent by whole sentences, each after the
//! guard has let everything up to it through: what the guard would take out of an answer is in no draft either.

use std::sync::Arc;

use consign_app::conversations::{self, Heard, Tokens, Watching};
use consign_contracts::{
    crew::{CheckType, GuardrailsInput},
    json::{Json, Object},
};
use consign_engine::{Engine, Key, Piece, RunId, Seq};
use serde_json::json;

use super::reply::{erased, failure, told};
use crate::{
    error::Problem,
    routes::runs::event_stream::{Telling, Told, frame},
    server::App,
};

/// What the calls that write an answer are called, before the number of their step.
const WRITES: &str = "tailor-";

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
    draft: Option<Draft>,
}

/// What a model has written so far.
struct Draft {
    activity: Key,
    attempt: u32,
    step: u32,
    tokens: Tokens,
    text: String,
    /// How much of it is sent.
    sent: usize,
    /// The guard has not let it through.
    is_held: bool,
}

impl TurnEvents {
    pub(super) fn new(app: Arc<App>, number: u32, seen: u64) -> Self {
        let watching = Watching::default();
        Self { app, number, watching, seen, count: 0, has_ended: false, draft: None }
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
        for piece in pieces {
            self.draft = Draft::after(self.draft.take(), piece);
        }
        if let Some(draft) = &mut self.draft
            && let Some(end) = draft.ready()
        {
            let is_safe = is_safe(&self.app, draft.text.get(..end).unwrap_or_default()).await;
            draft.release(end, is_safe, &mut frames);
        }
        frames
    }
}

/// Whether the guard would let a text out. What cannot be checked stays here.
async fn is_safe(app: &App, text: &str) -> bool {
    let input = GuardrailsInput {
        content: text.to_owned(),
        check_type: CheckType::OutputSafety,
        metadata: None,
        extra: Object::new(),
    };
    let checked = conversations::guard(&app.home, None, &input).await;
    checked.is_ok_and(|checked| checked.verdict().is_safe)
}

impl Draft {
    /// The draft after a piece, which may be of another call, or begin anew.
    fn after(before: Option<Self>, piece: &Piece) -> Option<Self> {
        let step = piece.activity.as_str().strip_prefix(WRITES).and_then(|step| step.parse().ok());
        let Some(step) = step else { return before };
        let is_same = |draft: &Self| {
            draft.activity == piece.activity && draft.attempt == piece.attempt && !piece.reset
        };
        let mut draft = before.filter(is_same).unwrap_or_else(|| Self {
            activity: piece.activity.clone(),
            attempt: piece.attempt,
            step,
            tokens: Tokens::default(),
            text: String::new(),
            sent: 0,
            is_held: false,
        });
        let text = draft.tokens.take(&piece.text);
        draft.text.push_str(&text);
        Some(draft)
    }

    /// Where what can be sent next ends, if there is something.
    fn ready(&self) -> Option<usize> {
        let end = whole(&self.text);
        (!self.is_held && end > self.sent).then_some(end)
    }

    fn release(&mut self, end: usize, is_safe: bool, frames: &mut String) {
        if !is_safe {
            self.is_held = true;
            return;
        }
        let text = self.text.get(self.sent..end).unwrap_or_default();
        let mut said = json!({ "step_id": self.step, "attempt": self.attempt, "text": text });
        if self.sent == 0 {
            said["reset"] = json!(true);
        }
        frame(frames, Some("text"), None, &said.to_string());
        self.sent = end;
    }
}

/// Where the last whole sentence of a text ends.
fn whole(text: &str) -> usize {
    let (mut end, mut before) = (0, ' ');
    for (at, letter) in text.char_indices() {
        let is_end = matches!(before, '.' | '!' | '?' | ':' | ']') && letter.is_whitespace();
        if letter == '\n' || letter == '。' || is_end {
            end = at + letter.len_utf8();
        }
        before = letter;
    }
    end
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

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(activity: &str, attempt: u32, text: &str, reset: bool) -> Piece {
        Piece { activity: Key::from(activity), attempt, offset: 0, text: text.into(), reset }
    }

    #[test]
    fn a_draft_is_sent_as_the_guard_lets_it_through_and_begins_anew_with_another_call() {
        let mut frames = String::new();
        let draft = Draft::after(None, &piece("memory-2", 1, "{\"content\": \"no. ", true));
        assert!(draft.is_none());
        let mut draft =
            Draft::after(None, &piece("tailor-3", 1, "{\"content\": \"It is", true)).unwrap();
        assert_eq!(draft.ready(), None);
        draft = Draft::after(Some(draft), &piece("tailor-3", 1, " 14. Then", false)).unwrap();
        let end = draft.ready().unwrap();
        draft.release(end, true, &mut frames);
        assert_eq!(
            frames,
            "event: text\ndata: {\"step_id\":3,\"attempt\":1,\"text\":\"It is 14. \",\"reset\":true}\n\n"
        );
        draft =
            Draft::after(Some(draft), &piece("tailor-3", 1, " mail anna@example.com. x", false))
                .unwrap();
        let end = draft.ready().unwrap();
        frames.clear();
        draft.release(end, false, &mut frames);
        draft = Draft::after(Some(draft), &piece("tailor-3", 1, "y. z", false)).unwrap();
        assert_eq!((draft.ready(), frames.as_str()), (None, ""));
        draft = Draft::after(Some(draft), &piece("tailor-6", 1, "{\"content\": \"No. x", true))
            .unwrap();
        let end = draft.ready().unwrap();
        draft.release(end, true, &mut frames);
        assert!(
            frames.ends_with("{\"step_id\":6,\"attempt\":1,\"text\":\"No. \",\"reset\":true}\n\n"),
            "{frames}"
        );
    }

    #[test]
    fn only_whole_sentences_are_sent() {
        let check = |text: &str, sent: &str| assert_eq!(&text[..whole(text)], sent);
        check("It takes 14", "");
        check("It takes 14.5", "");
        check("It takes 14.5 days. Then", "It takes 14.5 days. ");
        check("It takes 14.", "");
        check("- one\n- two", "- one\n");
        check("[1] x [2] y", "[1] x [2] ");
        check("é。ä", "é。");
    }
}
