//! What people and programs outside have said, and what became of it: a word that is taken is heard once, and one that
//! is refused leaves no trace.

use consign_engine::{Actor, ForkAt, Key, Limits, RunId, journal::Record};

use super::{Model, Verdict};
use crate::simulation::book::hold;

/// Something that was said from outside.
pub(super) struct Word {
    /// It breaks the contract of what it answers, or must be refused for another reason.
    wrong: bool,
    pub(super) about: About,
    heard: u32,
    answer: Option<Answer>,
}

/// What somebody speaks of.
#[derive(Clone, Debug)]
pub(in crate::simulation) enum About {
    /// A new run, or one that is open.
    Anything,
    /// An ask that it answers.
    Ask(RunId, Key),
    /// A signal that a run waits for.
    Signal(RunId, u64),
    Fork(ForkWish),
}

/// A fork that somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::simulation) struct ForkWish {
    pub(in crate::simulation) parent: RunId,
    pub(in crate::simulation) at: ForkAt,
    pub(in crate::simulation) id: Option<RunId>,
    /// Where they are not those of the parent.
    pub(in crate::simulation) limits: Limits,
}

/// What came back to whoever said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simulation) enum Answer {
    Taken,
    Refused,
    /// Nobody knows: it died before, or the store could not say.
    None,
}

impl Model {
    /// Something is about to be said.
    pub(in crate::simulation) fn say(&mut self, who: &Actor, about: About, wrong: bool) {
        self.words.insert(who.clone(), Word { wrong, about, heard: 0, answer: None });
    }

    /// Somebody's word is in a journal.
    pub(super) fn hear(&mut self, record: &Record) -> Verdict {
        let who = &record.actor;
        let word = self.words.get_mut(who).ok_or_else(|| format!("{who} never said that"))?;
        word.heard += 1;
        hold!(word.heard == 1, "the word of {who} is taken twice");
        hold!(!word.wrong, "a wrong word of {who} is taken");
        hold!(word.answer != Some(Answer::Refused), "the word of {who} is taken after all");
        Ok(())
    }

    /// What came back to whoever said it.
    pub(in crate::simulation) fn answered(&mut self, who: &Actor, answer: Answer) -> Verdict {
        let word = self.words.get_mut(who).ok_or("an answer to nobody")?;
        word.answer = Some(answer);
        match answer {
            Answer::Taken => hold!(word.heard == 1, "{who} was told yes, and nobody heard it"),
            Answer::Refused => hold!(word.heard == 0, "{who} was told no, and it was taken"),
            Answer::None => {}
        }
        Ok(())
    }

    /// Whether somebody is answering this ask.
    pub(in crate::simulation) fn is_being_told(&self, run: &RunId, key: &Key) -> bool {
        self.is_said(|about| matches!(about, About::Ask(of, ask) if (of, ask) == (run, key)))
    }

    /// Whether somebody is sending the signal that a run waits for.
    pub(in crate::simulation) fn is_being_signalled(&self, run: &RunId, number: u64) -> bool {
        self.is_said(
            |about| matches!(about, About::Signal(of, sent) if (of, *sent) == (run, number)),
        )
    }

    fn is_said(&self, is: impl Fn(&About) -> bool) -> bool {
        self.words.values().any(|word| word.answer.is_none() && is(&word.about))
    }
}
