//! The model: a small independent check of what the engine and its store may do.
//!
//! The model is told of every write after it took effect, of every effect as it happens, and of
//! every request of the simulated people and its answer. Each rule is a sentence; the first that is
//! broken ends the simulation.

use std::collections::{BTreeMap, BTreeSet};

use consign_engine::{
    Actor, Data, Effect, Epoch, Key, Nanos, Owner, RunId, Seq, Status,
    journal::{Hash, Record},
    store::{AskState, Claim, Row},
};

use super::{
    book::{Book, Phase, hold},
    program::Programs,
};
use crate::memory::{KeptRun, MemoryState};

pub(super) struct Model {
    programs: Programs,
    pub(super) books: BTreeMap<RunId, Book>,
    rows: BTreeMap<RunId, Row>,
    /// What owners have used, as it was after the last write.
    used: BTreeMap<Owner, Nanos>,
    epochs: BTreeMap<RunId, Epoch>,
    /// Everything that was said from outside: each time by another actor.
    words: BTreeMap<Actor, Word>,
    /// What agents replied.
    replies: BTreeSet<(RunId, Key, u32, String)>,
    /// What was done to the world, and what it came to.
    done: BTreeMap<(RunId, Key), Vec<Data>>,
    /// Events that somebody was told are safe.
    kept: BTreeMap<(RunId, Seq), Hash>,
    /// A living worker was taken for dead: an attempt may go on after it was given up.
    pub(super) doubted: bool,
}

/// Something that was said from outside.
struct Word {
    /// It breaks the contract of what it answers.
    wrong: bool,
    /// The ask that it answers.
    to: Option<(RunId, Key)>,
    heard: u32,
    answer: Option<Answer>,
}

/// What came back to whoever said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Taken,
    Refused,
    /// Nobody knows: it died before, or the store could not say.
    None,
}

/// An effect as it happens.
pub(super) struct Touch<'a> {
    pub(super) run: &'a RunId,
    pub(super) key: &'a Key,
    pub(super) attempt: u32,
    pub(super) effect: Effect,
    pub(super) output: &'a Data,
    /// Whoever does it may have lost its run without knowing.
    pub(super) doubtful: bool,
}

type Verdict = Result<(), String>;

impl Model {
    pub(super) fn new(programs: Programs) -> Self {
        Self {
            programs,
            books: BTreeMap::new(),
            rows: BTreeMap::new(),
            used: BTreeMap::new(),
            epochs: BTreeMap::new(),
            words: BTreeMap::new(),
            replies: BTreeSet::new(),
            done: BTreeMap::new(),
            kept: BTreeMap::new(),
            doubted: false,
        }
    }

    /// Looks at everything after a write.
    pub(super) fn look(&mut self, state: &MemoryState) -> Verdict {
        for (id, kept) in state.runs() {
            if self.rows.get(id) == Some(&kept.row) {
                continue;
            }
            self.follow(state, id, kept).map_err(|broken| format!("run {id}: {broken}"))?;
            self.rows.insert(id.clone(), kept.row.clone());
        }
        self.balance(state)
    }

    fn follow(&mut self, state: &MemoryState, id: &RunId, kept: &KeptRun) -> Verdict {
        let row = &kept.row;
        let before = self.rows.get(id);
        hold!(before.is_none_or(|before| !before.status.is_closed()), "it changed after its end");
        hold!(
            before.is_none_or(|before| before.seq <= row.seq && before.at <= row.at),
            "it went back"
        );
        let from = before.map_or(0, |before| before.seq.0 + 1);
        for record in kept.journal.iter().filter(|record| record.seq.0 >= from) {
            self.record(id, record)?;
        }
        let book = &self.books[id];
        hold!(book.head() == Some((row.seq, row.head)), "its journal ends elsewhere");
        hold!(book.excess().is_zero(), "it is ${} over its cap", book.excess());
        let figures = row.figures;
        let same = (figures.spent, figures.reserved, figures.cap)
            == (book.spent, book.reserved, book.limits.cost);
        hold!(
            same,
            "its figures are {figures:?}, and its journal comes to ${} and ${}",
            book.spent,
            book.reserved
        );
        let closed = row.status.is_closed().then_some(row.status);
        hold!(
            closed == book.closed,
            "it is {}, and its journal says {:?}",
            row.status,
            book.closed
        );
        let held = row.status == Status::Running;
        hold!(
            held == row.worker.is_some(),
            "it is {}, and its holder is {:?}",
            row.status,
            row.worker
        );
        let asks = state.asks().iter().filter(|((run, _), _)| run == id);
        let open = asks.filter(|(_, ask)| ask.interaction.state == AskState::Open);
        let open = open.map(|((_, key), _)| key);
        hold!(open.eq(book.asks.keys()), "its inbox is not what its journal asks");
        Ok(())
    }

    fn record(&mut self, id: &RunId, record: &Record) -> Verdict {
        if record.seq == Seq(0) {
            let book = Book::open(&self.programs, record)?;
            self.books.insert(id.clone(), book);
            return self.hear(record);
        }
        let book = self.books.get_mut(id).ok_or("it has no beginning")?;
        let asked = self.words.get(&record.actor).and_then(|word| word.to.as_ref());
        let open = asked.is_none_or(|(_, key)| book.asks.contains_key(key));
        hold!(open, "{} answers {asked:?}, which is not open", record.actor);
        let replies = &self.replies;
        book.take(record, |key, attempt, output| {
            let reply = (id.clone(), key.clone(), attempt, output.as_str().to_owned());
            replies.contains(&reply)
        })?;
        let delivered = record.body()?.is_some_and(|body| body.is_delivered());
        if delivered { self.hear(record) } else { Ok(()) }
    }

    /// Somebody's word is in a journal.
    fn hear(&mut self, record: &Record) -> Verdict {
        let who = &record.actor;
        let word = self.words.get_mut(who).ok_or_else(|| format!("{who} never said that"))?;
        word.heard += 1;
        hold!(word.heard == 1, "the word of {who} is taken twice");
        hold!(!word.wrong, "a wrong word of {who} is taken");
        hold!(word.answer != Some(Answer::Refused), "the word of {who} is taken after all");
        Ok(())
    }

    /// An owner's account is the sum of its runs, and grows only within its cap.
    fn balance(&mut self, state: &MemoryState) -> Verdict {
        for (owner, account) in state.accounts() {
            let runs = || self.rows.iter().filter(|(_, row)| row.owner == *owner);
            let spent: Nanos = runs().map(|(_, row)| row.figures.spent).sum();
            let reserved: Nanos = runs().map(|(_, row)| row.figures.reserved).sum();
            hold!(
                (account.spent, account.reserved) == (spent, reserved),
                "the account of {owner} has ${} spent and ${} held back, and its runs ${spent} and ${reserved}",
                account.spent,
                account.reserved
            );
            let loose: Nanos = runs().map(|(id, _)| self.books[id].loose()).sum();
            let used = (spent + reserved).minus(loose);
            let before = self.used.insert(owner.clone(), used).unwrap_or_default();
            let within = account.cap.is_none_or(|cap| used <= cap);
            hold!(within || used <= before, "{owner} uses ${used} of {:?}", account.cap);
        }
        Ok(())
    }

    /// A commit was taken. `holder` is who had the run just before.
    pub(super) fn committed(&self, claim: &Claim, holder: Option<&Claim>) -> Verdict {
        hold!(holder == Some(claim), "{claim:?} wrote, and the holder was {holder:?}");
        Ok(())
    }

    /// A worker was given a run.
    pub(super) fn claimed(&mut self, row: &Row) -> Verdict {
        let before = self.epochs.insert(row.id.clone(), row.epoch);
        hold!(before.is_none_or(|before| before < row.epoch), "{} has no new epoch", row.id);
        Ok(())
    }

    /// Somebody was told that these events are safe.
    pub(super) fn promised(&mut self, run: &RunId, seq: Seq, hash: Hash) -> Verdict {
        self.kept.insert((run.clone(), seq), hash);
        let newest = self.books.get(run).and_then(Book::head);
        let there =
            newest.is_some_and(|(newest, head)| newest > seq || (newest, head) == (seq, hash));
        hold!(there, "event {seq} of {run} was acknowledged and is not there");
        Ok(())
    }

    /// Something is about to be said.
    pub(super) fn say(&mut self, who: &Actor, to: Option<(RunId, Key)>, wrong: bool) {
        self.words.insert(who.clone(), Word { wrong, to, heard: 0, answer: None });
    }

    /// Whether somebody is answering this ask.
    pub(super) fn is_being_told(&self, run: &RunId, key: &Key) -> bool {
        let to = |word: &Word| word.to.as_ref().is_some_and(|(of, ask)| (of, ask) == (run, key));
        self.words.values().any(|word| word.answer.is_none() && to(word))
    }

    /// What came back to whoever said it.
    pub(super) fn answered(&mut self, who: &Actor, answer: Answer) -> Verdict {
        let word = self.words.get_mut(who).ok_or("an answer to nobody")?;
        word.answer = Some(answer);
        match answer {
            Answer::Taken => hold!(word.heard == 1, "{who} was told yes, and nobody heard it"),
            Answer::Refused => hold!(word.heard == 0, "{who} was told no, and it was taken"),
            Answer::None => {}
        }
        Ok(())
    }

    /// An effect happens: its intent must be on record, and nothing may have ended it.
    pub(super) fn touch(&mut self, touch: &Touch<'_>) -> Verdict {
        let Touch { run, key, attempt, effect, output, doubtful } = *touch;
        let call = self.books.get(run).and_then(|book| book.calls.get(key));
        let call = call.filter(|call| call.attempt >= attempt);
        let call = call.ok_or_else(|| format!("{key} of {run} acts before it is written down"))?;
        let current = call.attempt == attempt && matches!(call.phase, Phase::InFlight(_));
        hold!(
            doubtful || current,
            "attempt {attempt} of {key} of {run} acts while {} is {:?}",
            call.attempt,
            call.phase
        );
        let allowed = 1 + if self.doubted { call.not_done as usize } else { 0 };
        let done = self.done.entry((run.clone(), key.clone())).or_default();
        done.push(output.clone());
        let once = effect != Effect::Unsafe || done.len() <= allowed;
        hold!(once, "{key} of {run} is unsafe and was done {} times", done.len());
        Ok(())
    }

    pub(super) fn replied(&mut self, run: &RunId, key: &Key, attempt: u32, output: &Data) {
        self.replies.insert((run.clone(), key.clone(), attempt, output.as_str().to_owned()));
    }

    /// What a call did to the world, if it did.
    pub(super) fn outcome(&self, run: &RunId, key: &Key) -> Option<Data> {
        self.done.get(&(run.clone(), key.clone()))?.last().cloned()
    }

    pub(super) fn effects(&self) -> usize {
        self.done.values().map(Vec::len).sum()
    }

    /// All is over: nothing is open, nothing is held back, nothing is missing.
    pub(super) fn conclude(&self, state: &MemoryState) -> Verdict {
        for (id, kept) in state.runs() {
            hold!(kept.row.status.is_closed(), "run {id} is {}", kept.row.status);
            hold!(kept.row.figures.reserved.is_zero(), "run {id} still holds money back");
        }
        for ((run, seq), hash) in &self.kept {
            let journal = state.runs().get(run).map(|kept| &kept.journal);
            let record = journal.and_then(|journal| journal.get(usize::try_from(seq.0).ok()?));
            let same = record.is_some_and(|record| record.hash == *hash);
            hold!(same, "event {seq} of {run} was acknowledged and is gone");
        }
        for (owner, account) in state.accounts() {
            hold!(account.reserved.is_zero(), "{owner} still holds money back");
        }
        Ok(())
    }
}
