//! A store in memory: the port's promise in its simplest form.
//!
//! The simulation runs on it, and every adapter is compared with it. Each clone is a peer on the
//! same contents, as another process would be. It starts no threads, reads no clock and goes through
//! everything in a fixed order, so that the same calls always give the same answers.
//!
//! Like a database, it says nothing when a worker dies: that is for others to find out.

mod discussion;
mod lists;
mod queue;
mod settings;
mod state;
mod users;
mod vault;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use consign_engine::{
    At, Key, Nanos, Owner, RunId, Seq, WorkerId,
    journal::Record,
    store::{
        Account, Claimed, Commit, Delivery, Enlisted, Erasure, Error, First, InboxQuery,
        Interaction, Loaded, NewRun, Row, RunQuery, Store, Tick, Wanted,
    },
};
use tokio::sync::watch;

pub use self::{
    state::{KeptAsk, KeptRun, MemoryState},
    users::Users,
};

/// One peer.
#[derive(Clone)]
pub struct MemoryStore {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<MemoryState>,
    /// Counts writes.
    writes: watch::Sender<u64>,
    on_write: Option<OnWrite>,
}

/// Looks at the contents after each write; panics if they cannot be.
pub type OnWrite = Arc<dyn Fn(&MemoryState) + Send + Sync>;

impl MemoryStore {
    #[must_use]
    pub fn new() -> Self {
        Self::opened(None)
    }

    /// A store that shows its contents to `on_write` after each write.
    #[must_use]
    pub fn watched(on_write: OnWrite) -> Self {
        Self::opened(Some(on_write))
    }

    fn opened(on_write: Option<OnWrite>) -> Self {
        let shared = Shared { state: Mutex::default(), writes: watch::Sender::default(), on_write };
        Self { shared: Arc::new(shared) }
    }

    /// Lets a test look at everything at once.
    pub fn look<T>(&self, at: impl FnOnce(&MemoryState) -> T) -> T {
        at(&self.state())
    }

    /// Changes the contents, and tells all peers unless it was refused or changed nothing.
    fn write<T>(
        &self,
        change: impl FnOnce(&mut MemoryState) -> Result<(T, Changed), Error>,
    ) -> Result<T, Error> {
        let mut state = self.state();
        let (answer, changed) = change(&mut state)?;
        if changed == Changed::Yes {
            if let Some(on_write) = &self.shared.on_write {
                on_write(&state);
            }
            self.shared.writes.send_modify(|writes| *writes += 1);
        }
        Ok(answer)
    }

    /// A test that panicked while it looked has not hurt what it looked at.
    fn state(&self) -> MutexGuard<'_, MemoryState> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Changed {
    Yes,
    No,
}

impl Changed {
    fn when(changed: bool) -> Self {
        if changed { Self::Yes } else { Self::No }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn create(&self, run: NewRun, first: First) -> Result<(), Error> {
        self.write(|state| Ok((state.create(run, first)?, Changed::Yes)))
    }

    async fn commit(&self, commit: Commit) -> Result<(), Error> {
        self.write(|state| Ok((state.commit(commit)?, Changed::Yes)))
    }

    async fn deliver(&self, delivery: Delivery) -> Result<(), Error> {
        self.write(|state| Ok((state.deliver(delivery)?, Changed::Yes)))
    }

    async fn redact(&self, erasure: Erasure) -> Result<bool, Error> {
        self.write(|state| {
            let done = state.redact(erasure)?;
            Ok((done, Changed::when(done)))
        })
    }

    async fn claim(
        &self,
        worker: &WorkerId,
        wanted: &Wanted,
        most: usize,
        now: At,
    ) -> Result<Claimed, Error> {
        self.write(|state| {
            let claimed = state.claim(worker, wanted, most, now)?;
            let changed = Changed::when(!claimed.runs.is_empty());
            Ok((claimed, changed))
        })
    }

    async fn claim_run(&self, worker: &WorkerId, run: &RunId) -> Result<Loaded, Error> {
        self.write(|state| Ok((state.claim_run(worker, run)?, Changed::Yes)))
    }

    async fn reclaim(&self) -> Result<u64, Error> {
        self.write(|state| {
            let freed = state.reclaim();
            Ok((freed, Changed::when(freed > 0)))
        })
    }

    async fn enlist(&self, worker: &WorkerId) -> Result<Box<dyn Enlisted>, Error> {
        self.state().enlist(worker);
        Ok(Box::new(Alive { shared: self.shared.clone(), worker: worker.clone() }))
    }

    async fn load(&self, run: &RunId) -> Result<Loaded, Error> {
        self.state().run(run)?.load()
    }

    async fn row(&self, run: &RunId) -> Result<Row, Error> {
        Ok(self.state().run(run)?.row.clone())
    }

    async fn runs(&self, query: &RunQuery) -> Result<Vec<Row>, Error> {
        self.state().list(query)
    }

    async fn events(&self, run: &RunId, from: Seq, most: usize) -> Result<Vec<Record>, Error> {
        self.events_within(run, from, most, usize::MAX).await
    }

    async fn events_within(
        &self,
        run: &RunId,
        from: Seq,
        most: usize,
        bytes: usize,
    ) -> Result<Vec<Record>, Error> {
        let state = self.state();
        let journal = &state.run(run)?.journal;
        let mut left = Some(bytes);
        let page = journal.iter().filter(|record| record.seq >= from).take(most);
        let page = page.take_while(|record| {
            let fits = left.is_some();
            left = left.and_then(|left| left.checked_sub(record.size())).filter(|left| *left > 0);
            fits
        });
        Ok(page.cloned().collect())
    }

    async fn interaction(&self, run: &RunId, key: &Key) -> Result<Option<Interaction>, Error> {
        Ok(self.state().ask(run, key).map(|ask| ask.interaction.clone()))
    }

    async fn inbox(&self, query: &InboxQuery) -> Result<Vec<Interaction>, Error> {
        Ok(self.state().open_asks(query))
    }

    async fn account(&self, owner: &Owner) -> Result<Account, Error> {
        Ok(self.state().account(owner))
    }

    async fn accounts(&self) -> Result<Vec<(Owner, Account)>, Error> {
        let state = self.state();
        Ok(state.accounts().iter().map(|(owner, account)| (owner.clone(), *account)).collect())
    }

    async fn set_cap(&self, owner: &Owner, cap: Option<Nanos>) -> Result<(), Error> {
        self.write(|state| Ok((state.set_cap(owner, cap), Changed::Yes)))
    }

    async fn poked(&self, worker: &WorkerId) -> Result<Vec<RunId>, Error> {
        Ok(self.state().poked(worker))
    }

    async fn next_wake(&self, wanted: &Wanted) -> Result<Option<At>, Error> {
        Ok(self.state().next_wake(wanted))
    }

    async fn newest(&self) -> Result<Option<At>, Error> {
        Ok(self.state().runs().values().map(|run| run.row.at).max())
    }

    async fn changed(&self, seen: Tick) -> Tick {
        let mut writes = self.shared.writes.subscribe();
        // The sender lives as long as this peer, so there is always an answer.
        writes.wait_for(|writes| *writes > seen.0).await.map_or(seen, |now| Tick(*now))
    }
}

struct Alive {
    shared: Arc<Shared>,
    worker: WorkerId,
}

impl Enlisted for Alive {}

impl Drop for Alive {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.bury(&self.worker);
    }
}
