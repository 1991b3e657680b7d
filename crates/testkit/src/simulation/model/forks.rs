//! Forks: nothing that the parent has on record is done again, and what it began goes on under its name.

use std::collections::{BTreeMap, BTreeSet};

use consign_engine::{
    Effect, ForkAt, Key, Limits, RunId, Seq,
    journal::{Body, Forked, Keeps, Record},
};

use super::{About, ForkWish, Model, Verdict};
use crate::{
    memory::MemoryState,
    simulation::book::{Book, Inherited, Place, hold},
};

/// What is known of the forks of a world.
#[derive(Default)]
pub(super) struct Forks {
    /// The book of each run as it was after its first events.
    first: BTreeMap<RunId, Book>,
    /// What each fork says of itself, and what it should.
    made: BTreeMap<RunId, (Forked, Inherited)>,
    /// Unsafe calls that forks took over from these runs.
    taken: BTreeSet<(RunId, Key)>,
    /// Those of them that two runs have, by idempotency key: the parent was not over when it was read, or was
    /// forked twice.
    shared: BTreeMap<String, usize>,
}

impl Forks {
    pub(super) fn opened(&mut self, run: &RunId, book: &Book) {
        self.first.insert(run.clone(), book.clone());
    }

    /// How often an unsafe call may be made more than once, because two runs have it: the second time for
    /// each that was known not to be done. None if only one has it.
    pub(super) fn shared(&self, idempotency_key: &str) -> Option<usize> {
        self.shared.get(idempotency_key).copied()
    }

    /// The runs that a run was forked from, the nearest first.
    fn parents(&self, run: &RunId) -> Vec<RunId> {
        let parent = |run: &RunId| self.made.get(run).map(|(forked, _)| forked.run.clone());
        std::iter::successors(parent(run), parent).collect()
    }

    /// The run whose journal has the place where a fork is wanted: a point that was reached before the parent was
    /// forked is in the journal of an earlier run.
    fn origin(&self, wish: &ForkWish, state: &MemoryState) -> RunId {
        let ForkAt::Point(name) = &wish.at else { return wish.parent.clone() };
        let (mut run, mut until) = (wish.parent.clone(), Seq(u64::MAX));
        loop {
            let above = self.made.get(&run).map(|(forked, _)| (forked.run.clone(), forked.seq));
            let has = |record: &Record| record.seq <= until && is_point(record, name);
            let found = state.run(&run).is_ok_and(|kept| kept.journal.iter().any(has));
            match above {
                Some(above) if !found => (run, until) = above,
                Some(_) | None => return run,
            }
        }
    }
}

impl Model {
    /// The second event of a run says that it is a fork.
    pub(super) fn forked(
        &mut self,
        state: &MemoryState,
        id: &RunId,
        record: &Record,
        forked: Forked,
    ) -> Verdict {
        let parent = state.run(&forked.run).map_err(|error| error.to_string())?;
        let journal = &parent.journal;
        let wish = self.words.get(&record.actor).map(|word| &word.about);
        let Some(About::Fork(wish)) = wish else {
            return Err(format!("{} never wanted a fork", record.actor));
        };
        let origin = self.forks.origin(wish, state);
        // A fork writes its first point down once more: until it has, the same place is in the journal of its parent.
        let earlier = matches!(wish.at, ForkAt::Point(_))
            && self.forks.parents(&wish.parent).contains(&forked.run);
        let fits = origin == forked.run || earlier;
        hold!(fits, "it is forked from {} and not from {origin}", forked.run);
        hold!(wish.id.as_ref().is_none_or(|wanted| wanted == id), "it has another name");
        let event = |seq: Seq| journal.get(usize::try_from(seq.0).ok()?);
        let head = event(forked.seq).map(|record| record.hash);
        hold!(head == Some(forked.head), "it begins at another event than it says");
        hold!(forked.seq <= forked.until && event(forked.until).is_some(), "it begins nowhere");
        is_wanted(wish, &forked, journal)?;
        let first = self.forks.first.get(&forked.run).ok_or("its parent has no beginning")?;
        let inherited = Inherited::new(first, journal, &Place::from(&forked))?;
        let fits = match forked.keeps {
            Keeps::UnderWay => inherited.wants_something(),
            Keeps::Finished => inherited.wants_something() || inherited.succeeds(),
        };
        hold!(fits, "it has nothing to do");
        let named = self.forks.first.get(&wish.parent).filter(|_| forked.run != wish.parent);
        let set = named.map_or_else(Limits::default, |named| named.limits.clone());
        let limits = inherited.limits.raised(&set.raised(&wish.limits));
        let book = self.books.get_mut(id).ok_or("it has no beginning")?;
        hold!(book.limits == limits, "it may use {:?}, and should {limits:?}", book.limits);
        book.fork(record, &forked, &inherited)?;
        let over = parent.row.status.is_closed() && parent.row.seq == forked.until;
        for (key, call) in forked.calls.iter().filter(|(_, call)| call.effect == Effect::Unsafe) {
            let again = !self.forks.taken.insert((forked.run.clone(), key.clone()));
            if again || !over {
                let shared = self.forks.shared.entry(book.idempotency_key(key)).or_default();
                *shared += usize::from(!call.unknown);
            }
        }
        let kind = match wish.at {
            ForkAt::Event(_) => "a run is forked at an event",
            ForkAt::Point(_) => "a run is forked at a point",
            ForkAt::Failure => "a run is retried",
        };
        *self.tally.entry(kind).or_default() += 1;
        if !over {
            *self.tally.entry("a run is forked that is not over").or_default() += 1;
        }
        if !inherited.begun.is_empty() {
            *self.tally.entry("a fork takes over a call").or_default() += 1;
        }
        self.forks.opened(id, book);
        self.forks.made.insert(id.clone(), (forked, inherited));
        Ok(())
    }

    /// Whether a fork that was refused had nothing to do there.
    pub(in crate::simulation) fn is_futile(&self, wish: &ForkWish, state: &MemoryState) -> Verdict {
        let origin = self.forks.origin(wish, state);
        let Ok(parent) = state.run(&origin) else { return Ok(()) };
        let Some(first) = self.forks.first.get(&origin) else { return Ok(()) };
        let begun = first.head().map_or(Seq(0), |(seq, _)| seq);
        let seq = match &wish.at {
            ForkAt::Failure => return Err("a retry is refused".to_owned()),
            ForkAt::Event(seq) => Some((*seq).max(begun)),
            ForkAt::Point(name) if name == "start" => Some(begun),
            ForkAt::Point(name) => {
                let point = parent.journal.iter().rfind(|record| is_point(record, name));
                point.map(|record| record.seq)
            }
        };
        let seq = seq.filter(|seq| *seq <= parent.row.seq).ok_or("a fork is refused")?;
        let (until, keeps, without) = (parent.row.seq, Keeps::UnderWay, Vec::new());
        let place = Place { seq, until, keeps, without };
        let inherited = Inherited::new(first, &parent.journal, &place)?;
        hold!(!inherited.wants_something(), "a fork of {} at {seq} is refused", wish.parent);
        Ok(())
    }

    /// The idempotency key under which the other side knows a call.
    pub(super) fn idempotency_key(&self, run: &RunId, key: &Key) -> String {
        self.books.get(run).map_or_else(String::new, |book| book.idempotency_key(key))
    }

    /// Each fork says of itself what the journal of its parent comes to.
    pub(super) fn conclude_forks(&self) -> Verdict {
        for (id, (forked, inherited)) in &self.forks.made {
            inherited.is_told_by(forked).map_err(|broken| format!("run {id}: {broken}"))?;
        }
        Ok(())
    }

    /// The runs that a run was forked from, the nearest first.
    pub(in crate::simulation) fn parents(&self, run: &RunId) -> Vec<RunId> {
        self.forks.parents(run)
    }
}

/// Whether a fork begins where somebody wanted it to.
fn is_wanted(wish: &ForkWish, forked: &Forked, journal: &[Record]) -> Verdict {
    let fits = match (&wish.at, forked.keeps) {
        (ForkAt::Event(seq), Keeps::UnderWay) => forked.seq == (*seq).max(beginning(journal)),
        (ForkAt::Point(name), Keeps::UnderWay) if name == "start" => {
            forked.seq == beginning(journal)
        }
        (ForkAt::Point(name), Keeps::UnderWay) => {
            let mut known = journal.iter().filter(|record| record.seq <= forked.until);
            let last = known.rfind(|record| is_point(record, name));
            last.is_some_and(|record| record.seq == forked.seq)
        }
        (ForkAt::Failure, Keeps::Finished) => true,
        (ForkAt::Event(_) | ForkAt::Point(_), Keeps::Finished)
        | (ForkAt::Failure, Keeps::UnderWay) => false,
    };
    hold!(fits, "{wish:?} begins at event {} and keeps {:?}", forked.seq, forked.keeps);
    Ok(())
}

/// The event behind which a run has a state of its own.
fn beginning(journal: &[Record]) -> Seq {
    let forked = journal.get(1).is_some_and(|record| record.kind == "forked");
    Seq(u64::from(forked))
}

fn is_point(record: &Record, name: &str) -> bool {
    matches!(record.body(), Ok(Some(Body::PointReached(reached))) if reached.point == name)
}
