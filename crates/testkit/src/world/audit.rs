//! Records everything that happens in a world, and notes what must never happen.
//!
//! It believes no store and no engine: what was acknowledged, who holds what, which attempts were
//! written down before they began and which calls have ended, it knows from the writes that it saw.
//! It only takes notes: the test asks for [`Audit::wrongs`].

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use consign_engine::{
    Attempt, Key, Nanos, Owner, RunId, Seq, WorkerId,
    journal::{Body, Hash, Record},
    store::{Enlisted, Figures, Standing, Step, Store},
};

use super::hooked::{Hook, Read, Write, Wrote};

/// What an audit counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub creates: usize,
    /// Those that were not refused.
    pub commits: usize,
    pub deliveries: usize,
    /// Runs that were claimed.
    pub claims: usize,
    pub loads: usize,
    pub event_reads: usize,
    /// The most events that came with a claimed run.
    pub longest_tail: usize,
}

/// Looks at a store through a peer of its own.
pub struct Audit {
    peer: Arc<dyn Store>,
    books: Arc<Mutex<Books>>,
}

#[derive(Default)]
struct Books {
    counts: Counts,
    written: BTreeMap<RunId, Vec<(Seq, Hash)>>,
    owners: BTreeMap<RunId, Owner>,
    holders: BTreeMap<RunId, WorkerId>,
    seats: BTreeMap<WorkerId, Option<Box<dyn Enlisted>>>,
    /// Attempts that are written down, and whether they were made.
    begun: BTreeMap<(RunId, Key, u32), bool>,
    ended: BTreeSet<(RunId, Key)>,
    wrongs: Vec<String>,
}

impl Audit {
    #[must_use]
    pub fn new(peer: Arc<dyn Store>) -> Self {
        Self { peer, books: Arc::default() }
    }

    #[must_use]
    pub fn counts(&self) -> Counts {
        self.books().counts
    }

    /// What happened that may not happen.
    #[must_use]
    pub fn wrongs(&self) -> Vec<String> {
        self.books().wrongs.clone()
    }

    /// Every event of a run that was acknowledged.
    #[must_use]
    pub fn written(&self, run: &RunId) -> Vec<(Seq, Hash)> {
        self.books().written.get(run).cloned().unwrap_or_default()
    }

    /// The runs that are held by nobody alive.
    #[must_use]
    pub fn unattended(&self) -> Vec<RunId> {
        let books = self.books();
        let held = books.holders.iter().filter(|(_, worker)| !books.is_alive(worker));
        held.map(|(run, _)| run.clone()).collect()
    }

    #[must_use]
    pub fn holder(&self, run: &RunId) -> Option<WorkerId> {
        self.books().holders.get(run).cloned()
    }

    /// The run is seen to be over. A store that writes in its own time may have done so for a process
    /// that was dead before it could be told.
    pub fn see_closed(&self, run: &RunId) {
        self.books().holders.remove(run);
    }

    /// Whether a worker still has its place.
    #[must_use]
    pub fn is_seated(&self, worker: &WorkerId) -> bool {
        self.books().seats.contains_key(worker)
    }

    /// Makes the store believe that a worker is dead, while it works on.
    pub fn presume_dead(&self, worker: &WorkerId) {
        let seat = self.books().seats.get_mut(worker).and_then(Option::take);
        drop(seat);
    }

    /// An attempt is made. It must be written down, new, and of a call that has not ended.
    pub fn attempt(&self, attempt: &Attempt) {
        let mut books = self.books();
        let (run, key, number) = (&attempt.run, &attempt.key, attempt.number);
        let made = books.begun.insert((run.clone(), key.clone(), number), true);
        let ended = books.ended.contains(&(run.clone(), key.clone()));
        let what = format!("attempt {number} of {key} of run {run}");
        match made {
            None => books.wrongs.push(format!("{what} was made before it was written down")),
            Some(true) => books.wrongs.push(format!("{what} was made twice")),
            Some(false) => {}
        }
        if ended {
            books.wrongs.push(format!("{what} was made after the call had ended"));
        }
    }

    async fn check_owner(&self, run: &RunId) {
        let Some(owner) = self.books().owners.get(run).cloned() else { return };
        let Ok(account) = self.peer.account(&owner).await else { return };
        let (spent, reserved) = (account.spent, account.reserved);
        self.books().check_cap(owner.as_str(), Figures { spent, reserved, cap: account.cap });
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Hook for Audit {
    async fn after(&self, write: Write<'_>, wrote: Wrote<'_>) {
        if let Wrote::Refused(_) = wrote {
            return;
        }
        match write {
            Write::Create(run, first) => {
                let mut books = self.books();
                books.counts.creates += 1;
                books.owners.insert(run.id.clone(), run.owner.clone());
                books.step(&run.id, first.claim.clone(), &first.step);
            }
            Write::Commit(commit) => {
                let (run, worker) = (&commit.claim.run, &commit.claim.worker);
                {
                    let mut books = self.books();
                    books.counts.commits += 1;
                    books.step(run, Some(worker.clone()), &commit.step);
                }
                if !commit.step.ledger.reserve.is_zero() {
                    self.check_owner(run).await;
                }
            }
            Write::Deliver(delivery) => {
                let mut books = self.books();
                books.counts.deliveries += 1;
                books.append(&delivery.run, &delivery.record);
            }
            Write::Redact(erasure) => self.books().append(&erasure.run, &erasure.record),
            Write::Claim(worker) => {
                let Wrote::Claimed(runs) = wrote else { return };
                let mut books = self.books();
                for loaded in runs {
                    books.counts.claims += 1;
                    let longest = books.counts.longest_tail.max(loaded.tail.len());
                    books.counts.longest_tail = longest;
                    books.claim(&loaded.row.id, worker);
                }
            }
            Write::Reclaim => self.books().reclaim(),
            Write::Enlist(_) | Write::SetCap(..) => {}
        }
    }

    async fn reads(&self, what: Read) {
        let mut books = self.books();
        match what {
            Read::Load => books.counts.loads += 1,
            Read::Events => books.counts.event_reads += 1,
            Read::Other => {}
        }
    }

    fn seated(&self, worker: &WorkerId, seat: Box<dyn Enlisted>) -> Box<dyn Enlisted> {
        self.books().seats.insert(worker.clone(), Some(seat));
        Box::new(Seated { books: self.books.clone(), worker: worker.clone() })
    }
}

impl Books {
    fn is_alive(&self, worker: &WorkerId) -> bool {
        self.seats.get(worker).is_some_and(Option::is_some)
    }

    fn step(&mut self, run: &RunId, worker: Option<WorkerId>, step: &Step) {
        step.records.iter().for_each(|record| self.append(run, record));
        match (step.standing, worker) {
            (Standing::Held, Some(worker)) => self.holders.insert(run.clone(), worker),
            (Standing::Held, None) => None,
            (Standing::Queued | Standing::Parked { .. } | Standing::Closed(_), _) => {
                self.holders.remove(run)
            }
        };
        self.check_cap(run.as_str(), step.figures);
        if let Standing::Closed(_) = step.standing
            && !step.figures.reserved.is_zero()
        {
            self.wrongs.push(format!("run {run} is over and holds money back"));
        }
    }

    fn append(&mut self, run: &RunId, record: &Record) {
        self.written.entry(run.clone()).or_default().push((record.seq, record.hash));
        let of = |key: &Key| (run.clone(), key.clone());
        match record.body() {
            Ok(Some(Body::CallStarted(call))) => {
                if self.ended.contains(&of(&call.key)) {
                    self.wrongs.push(format!("{} of run {run} began after it ended", call.key));
                }
                self.begun.insert((run.clone(), call.key, 1), false);
            }
            Ok(Some(Body::AttemptStarted(attempt))) => {
                self.begun.insert((run.clone(), attempt.key, attempt.attempt), false);
            }
            Ok(Some(Body::CallCompleted(call))) => drop(self.ended.insert(of(&call.key))),
            Ok(Some(Body::CallFailed(call))) => drop(self.ended.insert(of(&call.key))),
            Ok(Some(Body::CallCancelled(call))) => drop(self.ended.insert(of(&call.key))),
            Ok(Some(Body::Answered(answer))) => {
                let told = answer.key.asks_outcome_of();
                if let Some((key, _)) = told.filter(|_| !answer.value.as_str().contains("not_done"))
                {
                    self.ended.insert(of(&key));
                }
            }
            Ok(_) => {}
            Err(why) => self.wrongs.push(format!("event {} of run {run}: {why}", record.seq)),
        }
    }

    fn claim(&mut self, run: &RunId, worker: &WorkerId) {
        // A worker that gives a run back and claims it again at once may hear of the claim first.
        if let Some(holder) = self.holders.insert(run.clone(), worker.clone())
            && holder != *worker
            && self.is_alive(&holder)
        {
            let wrong = format!("run {run} was given to {worker} while {holder} held it");
            self.wrongs.push(wrong);
        }
    }

    fn reclaim(&mut self) {
        let seats = &self.seats;
        self.holders.retain(|_, worker| seats.get(worker).is_some_and(Option::is_some));
    }

    fn check_cap(&mut self, whose: &str, figures: Figures) {
        let Figures { spent, reserved, cap } = figures;
        if cap.is_some_and(|cap: Nanos| spent + reserved > cap) {
            let wrong = format!("{whose}: ${spent} is spent, ${reserved} held back, over its cap");
            self.wrongs.push(wrong);
        }
    }
}

/// Holds a place until it is dropped.
struct Seated {
    books: Arc<Mutex<Books>>,
    worker: WorkerId,
}

impl Enlisted for Seated {}

impl Drop for Seated {
    fn drop(&mut self) {
        let mut books = self.books.lock().unwrap_or_else(PoisonError::into_inner);
        let seat = books.seats.remove(&self.worker);
        drop(books);
        drop(seat);
    }
}
