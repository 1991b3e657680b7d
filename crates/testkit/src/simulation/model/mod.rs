//! The model: a small independent check of what the engine and its store may do.
//!
//! The model is told of every write after it took effect, of every effect as it happens, and of
//! every request of the simulated people and its answer. Each rule is a sentence; the first that is
//! broken ends the simulation.

mod care;
mod forks;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use consign_engine::{
    Actor, Data, Effect, Epoch, Key, Nanos, Owner, RunId, Seq, Status,
    journal::{Body, Hash, Record},
    store::{AskState, Claim, Row},
};

pub(super) use self::words::{About, Answer, ForkWish};
use self::{care::Care, forks::Forks, words::Word};
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
    /// What was done to the world by idempotency key, and what it came to.
    done: BTreeMap<String, Vec<Data>>,
    /// Events that somebody was told are safe.
    kept: BTreeMap<(RunId, Seq), Hash>,
    /// A living worker was taken for dead: an attempt may go on after it was given up.
    pub(super) doubted: bool,
    forks: Forks,
    care: BTreeMap<RunId, Care>,
    /// What happened how often.
    pub(super) tally: BTreeMap<&'static str, u64>,
}

/// An effect as it happens.
pub(super) struct Touch<'a> {
    pub(super) run: &'a RunId,
    pub(super) key: &'a Key,
    pub(super) attempt: u32,
    pub(super) idempotency_key: String,
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
            forks: Forks::default(),
            care: BTreeMap::new(),
            tally: BTreeMap::new(),
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
            self.record(state, id, record)?;
        }
        let before = self.rows.get(id).cloned();
        self.attend(before.as_ref(), row)?;
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
        let relabelled = before.is_none_or(|before| before.label != row.label);
        if relabelled { self.labelled(id, row.label.as_deref()) } else { Ok(()) }
    }

    /// The holder of a run has written a step: its label must be what the workflow says then.
    pub(super) fn stepped(&self, id: &RunId) -> Verdict {
        let Some(row) = self.rows.get(id) else { return Ok(()) };
        self.labelled(id, row.label.as_deref()).map_err(|broken| format!("run {id}: {broken}"))
    }

    fn labelled(&self, id: &RunId, label: Option<&str>) -> Verdict {
        let told = self.books.get(id).and_then(Book::label);
        hold!(label == told.as_deref(), "its label is {label:?}, and its workflow says {told:?}");
        Ok(())
    }

    fn record(&mut self, state: &MemoryState, id: &RunId, record: &Record) -> Verdict {
        if record.seq == Seq(0) {
            let book = Book::open(&self.programs, record)?;
            self.forks.opened(id, &book);
            self.books.insert(id.clone(), book);
            return self.hear(record);
        }
        if record.seq == Seq(1)
            && let Some(Body::Forked(forked)) = record.body()?
        {
            return self.forked(state, id, record, forked);
        }
        let book = self.books.get_mut(id).ok_or("it has no beginning")?;
        if let Some(About::Ask(_, key)) = self.words.get(&record.actor).map(|word| &word.about) {
            let open = book.asks.contains_key(key);
            hold!(open, "{} answers {key}, which is not open", record.actor);
        }
        let replies = &self.replies;
        book.take(record, |key, attempt, output| {
            let reply = (id.clone(), key.clone(), attempt, output.as_str().to_owned());
            replies.contains(&reply)
        })?;
        let delivered = record.body()?.is_some_and(|body| body.is_delivered());
        if delivered { self.hear(record) } else { Ok(()) }
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

    /// Somebody was told that these events are safe.
    pub(super) fn promised(&mut self, run: &RunId, seq: Seq, hash: Hash) -> Verdict {
        self.kept.insert((run.clone(), seq), hash);
        let newest = self.books.get(run).and_then(Book::head);
        let there =
            newest.is_some_and(|(newest, head)| newest > seq || (newest, head) == (seq, hash));
        hold!(there, "event {seq} of {run} was acknowledged and is not there");
        Ok(())
    }

    /// An effect happens: its intent must be on record, and nothing may have ended it.
    pub(super) fn touch(&mut self, touch: &Touch<'_>) -> Verdict {
        let Touch { run, key, attempt, effect, output, doubtful, .. } = *touch;
        let known = self.idempotency_key(run, key);
        let used = &touch.idempotency_key;
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
        hold!(
            known == *used,
            "{key} of {run} acts as {used}, and the other side knows it as {known}"
        );
        let allowed = 1 + self.said_undone(used);
        let done = self.done.entry(known).or_default();
        done.push(output.clone());
        let once = effect != Effect::Unsafe || done.len() <= allowed;
        hold!(once, "{key} of {run} is unsafe and was done {} times", done.len());
        Ok(())
    }

    /// How often an unsafe call may be made again because a person said that it was not done, and an attempt that
    /// nobody knew of did it after all; or because two runs have it and both were to make it.
    fn said_undone(&self, idempotency_key: &str) -> usize {
        let shared = self.forks.shared(idempotency_key);
        if !self.doubted && shared.is_none() {
            return 0;
        }
        let calls = self.books.values().flat_map(|book| {
            let same = |key: &Key| book.idempotency_key(key) == idempotency_key;
            book.calls.iter().filter(move |(key, _)| same(key))
        });
        let said: usize = calls.map(|(_, call)| (call.not_done + call.failed) as usize).sum();
        said + shared.unwrap_or_default()
    }

    pub(super) fn replied(&mut self, run: &RunId, key: &Key, attempt: u32, output: &Data) {
        self.replies.insert((run.clone(), key.clone(), attempt, output.as_str().to_owned()));
    }

    /// What a call did to the world, if it did.
    pub(super) fn outcome(&self, run: &RunId, key: &Key) -> Option<Data> {
        self.done.get(&self.idempotency_key(run, key))?.last().cloned()
    }

    pub(super) fn effects(&self) -> usize {
        self.done.values().map(Vec::len).sum()
    }

    /// All is over: nothing is open, nothing is held back, nothing is missing.
    pub(super) fn conclude(&self, state: &MemoryState) -> Verdict {
        self.conclude_forks()?;
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
