//! What an attempt says before its result is there: a model's text as it streams.
//!
//! Best effort, and never in the journal. A late listener gets the text so far; a slow one misses pieces
//! and can ask for the text so far again. A new attempt begins anew.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::broadcast;

use crate::{Key, RunId};

/// Text so far is kept up to this size for each attempt; what comes later is only passed on.
const MOST_KEPT: usize = 1 << 20;
/// Pieces that a slow listener may be behind.
const BEHIND: usize = 1024;

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub activity: Key,
    pub attempt: u32,
    /// Where in the attempt's text it begins, in bytes.
    pub offset: usize,
    pub text: Arc<str>,
    /// What was heard of this activity before no longer counts.
    pub reset: bool,
}

/// The text so far, and what comes from now on.
pub struct Listening {
    pub so_far: Vec<Piece>,
    pub pieces: broadcast::Receiver<Piece>,
}

/// The text of all attempts that this process is making.
#[derive(Clone, Default)]
pub(crate) struct Talk(Arc<Mutex<HashMap<RunId, Run>>>);

struct Run {
    said: BTreeMap<Key, Said>,
    pieces: broadcast::Sender<Piece>,
}

impl Default for Run {
    fn default() -> Self {
        Self { said: BTreeMap::new(), pieces: broadcast::Sender::new(BEHIND) }
    }
}

struct Said {
    attempt: u32,
    /// The whole length; no more than [`MOST_KEPT`] of it is here.
    length: usize,
    text: String,
}

impl Talk {
    pub(crate) fn listen(&self, run: &RunId) -> Listening {
        let mut runs = self.lock();
        // A run that was listened to may never be driven here: drop entries without text and listeners.
        runs.retain(|_, run| !run.said.is_empty() || run.pieces.receiver_count() > 0);
        let run = runs.entry(run.clone()).or_default();
        let so_far = run.said.iter().map(|(activity, said)| Piece {
            activity: activity.clone(),
            attempt: said.attempt,
            offset: 0,
            text: said.text.as_str().into(),
            reset: true,
        });
        Listening { so_far: so_far.collect(), pieces: run.pieces.subscribe() }
    }

    pub(crate) fn of(&self, run: &RunId, activity: &Key, attempt: u32) -> Says {
        Says { talk: self.clone(), run: run.clone(), activity: activity.clone(), attempt }
    }

    /// Drops the text of an activity that has ended: its result is what counts.
    pub(crate) fn ended(&self, run: &RunId, activity: &Key) {
        if let Some(run) = self.lock().get_mut(run) {
            run.said.remove(activity);
        }
    }

    /// Drops the text of a run that this process no longer drives.
    pub(crate) fn forget(&self, run: &RunId) {
        let mut runs = self.lock();
        if let Some(known) = runs.get_mut(run) {
            known.said.clear();
            if known.pieces.receiver_count() == 0 {
                runs.remove(run);
            }
        }
    }

    fn say(&self, says: &Says, text: &str) {
        let mut runs = self.lock();
        let run = runs.entry(says.run.clone()).or_default();
        let fresh = || Said { attempt: says.attempt, length: 0, text: String::new() };
        let said = run.said.entry(says.activity.clone()).or_insert_with(fresh);
        if said.attempt != says.attempt {
            *said = fresh();
        }
        let offset = said.length;
        said.length += text.len();
        if said.text.len() == offset && said.length <= MOST_KEPT {
            said.text.push_str(text);
        }
        let (activity, attempt) = (says.activity.clone(), says.attempt);
        let piece = Piece { activity, attempt, offset, text: text.into(), reset: offset == 0 };
        // Sending fails when there is no listener, which is fine.
        let _ = run.pieces.send(piece);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, Run>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The handle by which an attempt says something.
#[derive(Clone)]
pub struct Says {
    talk: Talk,
    run: RunId,
    activity: Key,
    attempt: u32,
}

impl Says {
    pub fn text(&self, text: &str) {
        if !text.is_empty() {
            self.talk.say(self, text);
        }
    }
}

impl fmt::Debug for Says {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Says({} {} {})", self.run, self.activity, self.attempt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pieces: impl IntoIterator<Item = Piece>) -> Vec<(u32, usize, String, bool)> {
        let told =
            |piece: Piece| (piece.attempt, piece.offset, piece.text.to_string(), piece.reset);
        pieces.into_iter().map(told).collect()
    }

    fn heard(listening: &mut Listening) -> Vec<(u32, usize, String, bool)> {
        told(std::iter::from_fn(|| listening.pieces.try_recv().ok()))
    }

    #[test]
    fn whoever_listens_late_gets_the_text_so_far() {
        let (talk, run, key) = (Talk::default(), RunId::from("r"), Key::from("draft"));
        let first = talk.of(&run, &key, 1);
        first.text("one ");
        first.text("two");
        let mut late = talk.listen(&run);
        assert_eq!(told(late.so_far.clone()), [(1, 0, "one two".to_owned(), true)]);
        first.text("!");
        assert_eq!(heard(&mut late), [(1, 7, "!".to_owned(), false)]);
    }

    #[test]
    fn a_new_attempt_begins_anew() {
        let (talk, run, key) = (Talk::default(), RunId::from("r"), Key::from("draft"));
        let mut listening = talk.listen(&run);
        talk.of(&run, &key, 1).text("wrong");
        talk.of(&run, &key, 2).text("right");
        let expected = [(1, 0, "wrong".to_owned(), true), (2, 0, "right".to_owned(), true)];
        assert_eq!(heard(&mut listening), expected);
        assert_eq!(told(talk.listen(&run).so_far), [(2, 0, "right".to_owned(), true)]);
    }

    #[test]
    fn nothing_is_kept_of_what_has_ended() {
        let (talk, run, key) = (Talk::default(), RunId::from("r"), Key::from("draft"));
        talk.of(&run, &key, 1).text("words");
        talk.ended(&run, &key);
        assert!(talk.listen(&run).so_far.is_empty());
        talk.forget(&run);
        assert!(talk.lock().is_empty());
    }

    #[test]
    fn whoever_listened_to_nobody_leaves_nothing_behind() {
        let talk = Talk::default();
        let first = talk.listen(&RunId::from("one"));
        talk.forget(&RunId::from("one"));
        drop(first);
        let _second = talk.listen(&RunId::from("two"));
        let known: Vec<_> = talk.lock().keys().cloned().collect();
        assert_eq!(known, [RunId::from("two")]);
    }

    #[test]
    fn a_flood_is_passed_on_and_not_kept() {
        let (talk, run, key) = (Talk::default(), RunId::from("r"), Key::from("draft"));
        let says = talk.of(&run, &key, 1);
        for _ in 0..5 {
            says.text(&"x".repeat(MOST_KEPT / 2));
        }
        let kept = talk.listen(&run).so_far[0].text.len();
        assert_eq!(kept, MOST_KEPT);
    }
}
