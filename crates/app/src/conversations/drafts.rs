//! What a model writes while a turn is under way, for a surface to show before the answer is there.
//!
//! It goes out by whole sentences, each after the guard has let everything up to it through: what the guard would take out
//! of an answer is in no draft either. No verifier has seen it, so it goes again when the answer comes.

use consign_contracts::{
    crew::{CheckType, GuardrailsInput},
    json::Object,
};
use consign_conversation::turn::Tokens;
use consign_engine::{Engine, Key, Listening, Piece, RunId};
use tokio::sync::broadcast::error::TryRecvError;

use super::guard::guard;
use crate::Home;

/// What the calls that write an answer are called, before the number of their step.
const WRITES: &str = "tailor-";

/// The draft of a turn.
#[derive(Default)]
pub struct Drafts {
    listening: Option<Listening>,
    draft: Option<Draft>,
}

/// Text that may be shown now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released {
    /// The step that writes, from 1.
    pub step: u32,
    pub attempt: u32,
    pub text: String,
    /// What was released before is of another draft.
    pub reset: bool,
}

/// What a model has written so far.
struct Draft {
    activity: Key,
    attempt: u32,
    step: u32,
    tokens: Tokens,
    text: String,
    /// How much of it was released.
    released: usize,
    /// The guard has not let it through.
    is_held: bool,
}

impl Drafts {
    /// Takes what the agents of a run have said in this process since the last call.
    pub fn hear(&mut self, engine: &Engine, run: &RunId) {
        let mut listening = self.listening.take().unwrap_or_else(|| {
            let listening = engine.listen(run);
            self.take(&listening.so_far);
            listening
        });
        loop {
            match listening.pieces.try_recv() {
                Ok(piece) => self.take(&[piece]),
                Err(TryRecvError::Empty) => break self.listening = Some(listening),
                // The next call begins anew, with all that was said.
                Err(TryRecvError::Lagged(_) | TryRecvError::Closed) => break,
            }
        }
    }

    /// Takes pieces of what the agents of a run say.
    pub fn take(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            self.draft = Draft::after(self.draft.take(), piece);
        }
    }

    /// The next sentences, if the guard lets them out. What cannot be checked stays here.
    pub async fn release(&mut self, home: &Home) -> Option<Released> {
        let draft = self.draft.as_mut()?;
        let end = draft.ready()?;
        let content = draft.text.get(..end).unwrap_or_default().to_owned();
        let check_type = CheckType::OutputSafety;
        let input = GuardrailsInput { content, check_type, metadata: None, extra: Object::new() };
        let checked = guard(home, None, &input).await;
        draft.release(end, checked.is_ok_and(|checked| checked.verdict().is_safe))
    }

    /// What of the draft of this step was released.
    #[must_use]
    pub fn released(&self, step: u32) -> &str {
        let draft = self.draft.as_ref().filter(|draft| draft.step == step);
        draft.and_then(|draft| draft.text.get(..draft.released)).unwrap_or_default()
    }
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
            released: 0,
            is_held: false,
        });
        let text = draft.tokens.take(&piece.text);
        draft.text.push_str(&text);
        Some(draft)
    }

    /// Where what can be released next ends, if there is something.
    fn ready(&self) -> Option<usize> {
        let end = whole(&self.text);
        (!self.is_held && end > self.released).then_some(end)
    }

    fn release(&mut self, end: usize, is_safe: bool) -> Option<Released> {
        if !is_safe {
            self.is_held = true;
            return None;
        }
        let text = self.text.get(self.released..end).unwrap_or_default().to_owned();
        let reset = self.released == 0;
        self.released = end;
        Some(Released { step: self.step, attempt: self.attempt, text, reset })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(activity: &str, attempt: u32, text: &str, reset: bool) -> Piece {
        Piece { activity: Key::from(activity), attempt, offset: 0, text: text.into(), reset }
    }

    #[test]
    fn a_draft_goes_out_as_the_guard_lets_it_through_and_begins_anew_with_another_call() {
        let mut drafts = Drafts::default();
        drafts.take(&[piece("memory-2", 1, "{\"content\": \"no. ", true)]);
        assert!(drafts.draft.is_none());
        drafts.take(&[piece("tailor-3", 1, "{\"content\": \"It is", true)]);
        assert_eq!(drafts.draft.as_ref().unwrap().ready(), None);
        drafts.take(&[piece("tailor-3", 1, " 14. Then", false)]);
        let draft = drafts.draft.as_mut().unwrap();
        let released = draft.release(draft.ready().unwrap(), true).unwrap();
        assert_eq!(
            (released.text.as_str(), released.step, released.reset),
            ("It is 14. ", 3, true)
        );
        drafts.take(&[piece("tailor-3", 1, " mail anna@example.com. x", false)]);
        let draft = drafts.draft.as_mut().unwrap();
        assert_eq!(draft.release(draft.ready().unwrap(), false), None);
        drafts.take(&[piece("tailor-3", 1, "y. z", false)]);
        assert_eq!(drafts.draft.as_ref().unwrap().ready(), None);
        assert_eq!((drafts.released(3), drafts.released(6)), ("It is 14. ", ""));
        drafts.take(&[piece("tailor-6", 1, "{\"content\": \"No. x", true)]);
        assert_eq!((drafts.released(3), drafts.released(6)), ("", ""));
        let draft = drafts.draft.as_mut().unwrap();
        let released = draft.release(draft.ready().unwrap(), true).unwrap();
        assert_eq!((released.text.as_str(), released.step, released.reset), ("No. ", 6, true));
    }

    #[test]
    fn only_whole_sentences_go_out() {
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
