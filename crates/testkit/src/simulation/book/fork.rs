//! What a fork begins with, worked out from the journal of its parent alone.
//!
//! The parent's book is opened again and follows its journal up to the place of the fork. Of what comes after, the
//! results are taken that belong to something open at that time; a retry also follows what the parent began later,
//! as far as the state without the failures wants it. Nothing here looks at what the fork itself says of its state.

use std::collections::{BTreeMap, BTreeSet};

use consign_engine::{
    At, Data, Happened, Key, Limits, Next, Outcome, RunId, Seq, Signal, Work,
    journal::{Body, Forked, Keeps, Record},
};
use serde::Deserialize;

use super::{Book, CallBook, Phase, hold, outcome_of};
use crate::simulation::program::State;

/// Where in a journal a fork begins, and which results it takes of the rest.
#[derive(Clone, Debug)]
pub(in crate::simulation) struct Place {
    pub(in crate::simulation) seq: Seq,
    pub(in crate::simulation) until: Seq,
    pub(in crate::simulation) keeps: Keeps,
    /// What was left out because the workflow failed of it.
    pub(in crate::simulation) without: Vec<Seq>,
}

/// What a fork takes over.
#[derive(Clone)]
pub(in crate::simulation) struct Inherited {
    state: State,
    /// Calls that were begun and have no result, and the runs under whose names they were.
    pub(in crate::simulation) begun: BTreeMap<Key, RunId>,
    pub(in crate::simulation) next: Next,
    /// What the parent might use in the end.
    pub(in crate::simulation) limits: Limits,
}

/// What a person says of a call.
#[derive(Deserialize)]
struct Told {
    outcome: String,
    output: Option<Data>,
}

impl From<&Forked> for Place {
    fn from(forked: &Forked) -> Self {
        let Forked { seq, until, keeps, without, .. } = forked;
        Self { seq: *seq, until: *until, keeps: *keeps, without: without.clone() }
    }
}

impl Inherited {
    /// What a fork takes over from a parent, whose book is as it was after its first events.
    pub(in crate::simulation) fn new(
        first: &Book,
        journal: &[Record],
        place: &Place,
    ) -> Result<Self, String> {
        let mut book = first.clone();
        let begun = book.head().map_or(Seq(0), |(seq, _)| seq);
        let rest = journal.iter().filter(|record| record.seq > begun);
        for record in rest.filter(|record| record.seq <= place.seq) {
            book.take(record, |_, _, _| true)?;
        }
        let mut follower = Follower::new(book, place.keeps);
        let raised = journal.iter().filter(|record| record.seq <= place.until);
        if let Some(limits) = raised.filter_map(raised_to).next_back() {
            follower.book.limits = limits;
        }
        let later = journal.iter().filter(|record| record.seq > place.seq);
        for record in later.filter(|record| record.seq <= place.until) {
            if !place.without.contains(&record.seq) {
                follower.take(record)?;
                continue;
            }
            let mut with = follower.clone();
            with.take(record)?;
            let fails = matches!(with.book.decide(), Next::Finish(Outcome::Failed(_)));
            hold!(fails, "event {} is left out, and nothing fails of it", record.seq);
        }
        Ok(follower.end())
    }

    /// Whether the run is to succeed without doing anything.
    pub(in crate::simulation) fn succeeds(&self) -> bool {
        matches!(self.next, Next::Finish(Outcome::Succeeded(_)))
    }

    pub(in crate::simulation) fn wants_something(&self) -> bool {
        matches!(self.next, Next::Open(_))
    }

    /// Whether the fork says the same of itself.
    pub(in crate::simulation) fn is_told_by(&self, forked: &Forked) -> Result<(), String> {
        let state: State = forked.state.to().map_err(|cause| cause.to_string())?;
        hold!(
            state == self.state,
            "it begins with {state:?}, and its parent was at {:?}",
            self.state
        );
        let origins = forked.calls.iter().map(|(key, call)| (key, &call.origin));
        hold!(
            origins.eq(self.begun.iter()),
            "it takes over {:?}, and its parent had begun {:?}",
            forked.calls,
            self.begun
        );
        Ok(())
    }
}

/// Follows a parent past the place of a fork.
#[derive(Clone)]
struct Follower {
    book: Book,
    keeps: Keeps,
    /// What is open, and whether it is a call.
    open: BTreeMap<Key, bool>,
    /// What somebody answered in the place of an agent.
    replied: BTreeMap<Key, Data>,
}

impl Follower {
    fn new(mut book: Book, keeps: Keeps) -> Self {
        // What was stopped because of the cancel is wanted still.
        for (key, output) in std::mem::take(&mut book.stopped) {
            match output {
                Some(output) if book.wants(&key) => complete(&mut book, &key, &output),
                Some(_) => {}
                None => {
                    if book.wants(&key)
                        && let Some(call) = book.calls.get_mut(&key)
                    {
                        call.phase = Phase::Unknown;
                    }
                }
            }
        }
        let calls = book.calls.iter().filter(|(_, call)| call.phase != Phase::Ended);
        let calls: BTreeSet<_> = calls.map(|(key, _)| key.clone()).collect();
        let asks = book.asks.keys().filter(|key| !key.is_engines() && !calls.contains(key));
        let others = asks.chain(book.timers.keys()).map(|key| (key.clone(), false));
        let open = others.chain(calls.iter().map(|key| (key.clone(), true))).collect();
        let replied = book.calls.iter().filter_map(|(key, call)| match &call.phase {
            Phase::Replied(_, value) => Some((key.clone(), value.clone())),
            Phase::InFlight(_)
            | Phase::Asked(_)
            | Phase::Declined(_)
            | Phase::Between(_)
            | Phase::Unknown
            | Phase::Ended => None,
        });
        Self { replied: replied.collect(), book, keeps, open }
    }

    fn take(&mut self, record: &Record) -> Result<(), String> {
        let all = self.keeps == Keeps::Finished;
        match record.body()?.ok_or("an event without a body")? {
            Body::CallStarted(call) => self.open(call.key, true),
            Body::TimerSet(timer) => self.open(timer.key, false),
            Body::Asked(ask) if !ask.key.is_engines() && ask.agent.is_none() => {
                self.open(ask.key, false);
            }
            Body::CallCompleted(call) => self.complete(&call.key, &call.output),
            Body::CallCancelled(call) => {
                let output = call.output.or_else(|| self.replied.remove(&call.key));
                if let Some(output) = output {
                    self.complete(&call.key, &output);
                }
            }
            Body::Answered(answer) => self.answered(&answer.key, answer.value)?,
            Body::AskWithdrawn(ask) => drop(self.open.remove(&ask.key)),
            Body::TimerDropped(timer) => drop(self.open.remove(&timer.key)),
            Body::TimerFired(timer) => {
                if self.open.remove(&timer.key).is_some() {
                    self.hear(&Happened::Fired { key: &timer.key });
                }
            }
            Body::Raised(raised) if all => {
                self.hear(&Happened::Signalled(Signal::Raised(&raised.limits)));
            }
            Body::Advised(advice) if all => {
                self.hear(&Happened::Signalled(Signal::Advice(&advice.text)));
            }
            Body::Signalled(signal) if all => {
                let (name, value, at) = (signal.name.as_str(), &signal.value, At::default());
                let by = &record.actor;
                self.hear(&Happened::Signalled(Signal::Named { name, value, at, by }));
            }
            Body::Asked(_)
            | Body::Raised(_)
            | Body::Advised(_)
            | Body::Signalled(_)
            | Body::Created(_)
            | Body::AttemptStarted(_)
            | Body::AttemptFailed(_)
            | Body::AttemptLost(_)
            | Body::CallFailed(_)
            | Body::Declined(_)
            | Body::AskExpired(_)
            | Body::CancelRequested(_)
            | Body::TimeSkipped(_)
            | Body::Upgraded(_)
            | Body::PointReached(_)
            | Body::Forked(_)
            | Body::Succeeded(_)
            | Body::Failed(_)
            | Body::Cancelled(_)
            | Body::Redacted(_) => {}
        }
        Ok(())
    }

    /// A retry goes along with what is begun later, as long as its own state wants it.
    fn open(&mut self, key: Key, is_call: bool) {
        if self.keeps == Keeps::Finished && self.book.wants(&key) {
            self.open.entry(key).or_insert(is_call);
        }
    }

    fn answered(&mut self, key: &Key, value: Data) -> Result<(), String> {
        if let Some(of) = outcome_of(key) {
            let told: Told = value.to().map_err(|cause| cause.to_string())?;
            if told.outcome == "done" {
                self.complete(&of, &told.output.unwrap_or_else(Data::null));
            }
            return Ok(());
        }
        match self.open.get(key) {
            Some(true) => drop(self.replied.insert(key.clone(), value)),
            Some(false) if self.keeps == Keeps::Finished => {
                self.open.remove(key);
                let (value, at) = (&value, At::default());
                self.hear(&Happened::Answered { key, value, at, by: None });
            }
            Some(false) | None => {}
        }
        Ok(())
    }

    fn complete(&mut self, key: &Key, output: &Data) {
        if self.open.remove(key).is_some() {
            self.replied.remove(key);
            complete(&mut self.book, key, output);
        }
    }

    fn hear(&mut self, happened: &Happened<'_>) {
        self.book.tell(happened).expect("a program hears everything");
    }

    fn end(mut self) -> Inherited {
        for (key, output) in std::mem::take(&mut self.replied) {
            self.complete(&key, &output);
        }
        let Self { book, open, .. } = self;
        let begun = open.into_iter().filter(|(key, is_call)| *is_call && book.wants(key));
        let begun = begun.map(|(key, _)| (key.clone(), book.origin(&key).clone())).collect();
        let next = book.decide();
        Inherited { state: book.state, begun, next, limits: book.limits }
    }
}

fn raised_to(record: &Record) -> Option<Limits> {
    match record.body() {
        Ok(Some(Body::Raised(raised))) => Some(raised.limits),
        Ok(_) | Err(_) => None,
    }
}

fn complete(book: &mut Book, key: &Key, output: &Data) {
    let work = Work::default();
    book.tell(&Happened::Completed { key, output, work }).expect("a program hears everything");
}

impl Book {
    /// Begins where its parent stood. Calls of which nobody knows what they did are open from the start.
    pub(in crate::simulation) fn fork(
        &mut self,
        record: &Record,
        forked: &Forked,
        inherited: &Inherited,
    ) -> Result<(), String> {
        self.chain.take(record).map_err(|broken| broken.to_string())?;
        self.state = inherited.state.clone();
        self.origins = inherited.begun.clone();
        for (key, call) in forked.calls.iter().filter(|(_, call)| call.unknown) {
            hold!(inherited.begun.contains_key(key), "{key} is asked about, and nobody began it");
            self.used.insert(key.clone());
            let (phase, effect) = (Phase::Unknown, call.effect);
            let (attempt, not_done, failed, unmetered) = (1, 0, 0, false);
            let book = CallBook { effect, attempt, phase, not_done, failed, unmetered };
            self.calls.insert(key.clone(), book);
        }
        Ok(())
    }
}
