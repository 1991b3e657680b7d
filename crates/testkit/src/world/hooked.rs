//! A store whose writes pass through hooks.
//!
//! Every write goes past the [`Hook`]s of its process, before and after. A hook can count, check,
//! refuse, hold up or never come back; it cannot change what is written.

use std::sync::Arc;

use async_trait::async_trait;
use consign_engine::{
    At, Key, Nanos, Owner, RunId, Seq, WorkerId,
    journal::Record,
    store::{
        Account, Claimed, Commit, Delivery, Enlisted, Erasure, Error, First, InboxQuery,
        Interaction, Loaded, NewRun, Row, RunQuery, Snapshot, Store, Tick, Wanted,
    },
};

/// A write on its way.
#[derive(Clone, Copy)]
pub enum Write<'a> {
    Create(&'a NewRun, &'a First),
    Commit(&'a Commit),
    Deliver(&'a Delivery),
    Redact(&'a Erasure),
    Claim(&'a WorkerId),
    Reclaim,
    Enlist(&'a WorkerId),
    SetCap(&'a Owner, Option<Nanos>),
}

/// What a write came to.
#[derive(Clone, Copy)]
pub enum Wrote<'a> {
    /// It is done, and there is nothing to tell of it.
    It,
    Claimed(&'a [Loaded]),
    Reclaimed(u64),
    Refused(&'a Error),
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    Load,
    Events,
    Other,
}

/// Somebody who looks over a store's shoulder.
#[async_trait]
pub trait Hook: Send + Sync {
    /// A write comes. If this fails, it never reaches the store.
    async fn before(&self, _write: Write<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// A write was done or refused. The caller does not know yet.
    async fn after(&self, _write: Write<'_>, _wrote: Wrote<'_>) {}

    async fn reads(&self, _what: Read) {}

    /// A worker's place is taken: this is kept as long as the place is.
    fn seated(&self, _worker: &WorkerId, seat: Box<dyn Enlisted>) -> Box<dyn Enlisted> {
        seat
    }

    /// What readers are to see of a journal, if not what is there.
    fn forged_journal(&self, _run: &RunId) -> Option<Vec<Record>> {
        None
    }

    /// Changes what readers see of a run.
    fn forge_row(&self, _row: &mut Row) {}

    /// Changes what readers see of a run's state.
    fn forge_state(&self, _run: &RunId, _snapshot: &mut Snapshot) {}
}

/// One peer on a store, watched.
pub struct Hooked {
    inner: Arc<dyn Store>,
    hooks: Vec<Arc<dyn Hook>>,
}

impl Hooked {
    #[must_use]
    pub fn new(inner: Arc<dyn Store>, hooks: Vec<Arc<dyn Hook>>) -> Self {
        Self { inner, hooks }
    }

    async fn before(&self, write: Write<'_>) -> Result<(), Error> {
        for hook in &self.hooks {
            hook.before(write).await?;
        }
        Ok(())
    }

    async fn after(&self, write: Write<'_>, wrote: Wrote<'_>) {
        for hook in &self.hooks {
            hook.after(write, wrote).await;
        }
    }

    async fn done(&self, write: Write<'_>, result: Result<(), Error>) -> Result<(), Error> {
        let wrote = result.as_ref().map_or_else(Wrote::Refused, |()| Wrote::It);
        self.after(write, wrote).await;
        result
    }

    async fn read(&self, what: Read) {
        for hook in &self.hooks {
            hook.reads(what).await;
        }
    }

    fn forge(&self, loaded: &mut Loaded) {
        let Loaded { row, snapshot, .. } = loaded;
        for hook in &self.hooks {
            hook.forge_row(row);
            hook.forge_state(&row.id, snapshot);
        }
    }
}

#[async_trait]
impl Store for Hooked {
    async fn create(&self, run: NewRun, first: First) -> Result<(), Error> {
        let write = Write::Create(&run, &first);
        self.before(write).await?;
        let result = self.inner.create(run.clone(), first.clone()).await;
        self.done(write, result).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), Error> {
        let write = Write::Commit(&commit);
        self.before(write).await?;
        let result = self.inner.commit(commit.clone()).await;
        self.done(write, result).await
    }

    async fn deliver(&self, delivery: Delivery) -> Result<(), Error> {
        let write = Write::Deliver(&delivery);
        self.before(write).await?;
        let result = self.inner.deliver(delivery.clone()).await;
        self.done(write, result).await
    }

    async fn redact(&self, erasure: Erasure) -> Result<bool, Error> {
        let write = Write::Redact(&erasure);
        self.before(write).await?;
        let result = self.inner.redact(erasure.clone()).await;
        match &result {
            Ok(true) => self.after(write, Wrote::It).await,
            // Nothing was written.
            Ok(false) => {}
            Err(error) => self.after(write, Wrote::Refused(error)).await,
        }
        result
    }

    async fn claim(
        &self,
        worker: &WorkerId,
        wanted: &Wanted,
        most: usize,
        now: At,
    ) -> Result<Claimed, Error> {
        let write = Write::Claim(worker);
        self.before(write).await?;
        let mut result = self.inner.claim(worker, wanted, most, now).await;
        if let Ok(claimed) = &mut result {
            claimed.runs.iter_mut().for_each(|loaded| self.forge(loaded));
        }
        let wrote =
            result.as_ref().map_or_else(Wrote::Refused, |claimed| Wrote::Claimed(&claimed.runs));
        self.after(write, wrote).await;
        result
    }

    async fn claim_run(&self, worker: &WorkerId, run: &RunId) -> Result<Loaded, Error> {
        let write = Write::Claim(worker);
        self.before(write).await?;
        let result = self.inner.claim_run(worker, run).await;
        let claimed = result.as_ref().map(std::slice::from_ref);
        self.after(write, claimed.map_or_else(Wrote::Refused, Wrote::Claimed)).await;
        result
    }

    async fn reclaim(&self) -> Result<u64, Error> {
        self.before(Write::Reclaim).await?;
        let result = self.inner.reclaim().await;
        let wrote = result.as_ref().map_or_else(Wrote::Refused, |freed| Wrote::Reclaimed(*freed));
        self.after(Write::Reclaim, wrote).await;
        result
    }

    async fn enlist(&self, worker: &WorkerId) -> Result<Box<dyn Enlisted>, Error> {
        let write = Write::Enlist(worker);
        self.before(write).await?;
        let mut seat = self.inner.enlist(worker).await?;
        for hook in &self.hooks {
            seat = hook.seated(worker, seat);
        }
        self.after(write, Wrote::It).await;
        Ok(seat)
    }

    async fn load(&self, run: &RunId) -> Result<Loaded, Error> {
        self.read(Read::Load).await;
        let mut loaded = self.inner.load(run).await?;
        self.forge(&mut loaded);
        Ok(loaded)
    }

    async fn row(&self, run: &RunId) -> Result<Row, Error> {
        self.read(Read::Other).await;
        let mut row = self.inner.row(run).await?;
        self.hooks.iter().for_each(|hook| hook.forge_row(&mut row));
        Ok(row)
    }

    async fn runs(&self, query: &RunQuery) -> Result<Vec<Row>, Error> {
        self.read(Read::Other).await;
        self.inner.runs(query).await
    }

    async fn events(&self, run: &RunId, from: Seq, most: usize) -> Result<Vec<Record>, Error> {
        self.read(Read::Events).await;
        match self.hooks.iter().find_map(|hook| hook.forged_journal(run)) {
            Some(forged) => {
                let page = forged.into_iter().filter(|record| record.seq >= from);
                Ok(page.take(most).collect())
            }
            None => self.inner.events(run, from, most).await,
        }
    }

    async fn events_within(
        &self,
        run: &RunId,
        from: Seq,
        most: usize,
        bytes: usize,
    ) -> Result<Vec<Record>, Error> {
        if self.hooks.iter().any(|hook| hook.forged_journal(run).is_some()) {
            return self.events(run, from, most).await;
        }
        self.read(Read::Events).await;
        self.inner.events_within(run, from, most, bytes).await
    }

    async fn interaction(&self, run: &RunId, key: &Key) -> Result<Option<Interaction>, Error> {
        self.read(Read::Other).await;
        self.inner.interaction(run, key).await
    }

    async fn inbox(&self, query: &InboxQuery) -> Result<Vec<Interaction>, Error> {
        self.read(Read::Other).await;
        self.inner.inbox(query).await
    }

    async fn account(&self, owner: &Owner) -> Result<Account, Error> {
        self.read(Read::Other).await;
        self.inner.account(owner).await
    }

    async fn accounts(&self) -> Result<Vec<(Owner, Account)>, Error> {
        self.read(Read::Other).await;
        self.inner.accounts().await
    }

    async fn set_cap(&self, owner: &Owner, cap: Option<Nanos>) -> Result<(), Error> {
        let write = Write::SetCap(owner, cap);
        self.before(write).await?;
        let result = self.inner.set_cap(owner, cap).await;
        self.done(write, result).await
    }

    async fn poked(&self, worker: &WorkerId) -> Result<Vec<RunId>, Error> {
        self.read(Read::Other).await;
        self.inner.poked(worker).await
    }

    async fn next_wake(&self, wanted: &Wanted) -> Result<Option<At>, Error> {
        self.read(Read::Other).await;
        self.inner.next_wake(wanted).await
    }

    async fn newest(&self) -> Result<Option<At>, Error> {
        self.read(Read::Other).await;
        self.inner.newest().await
    }

    async fn changed(&self, seen: Tick) -> Tick {
        self.read(Read::Other).await;
        self.inner.changed(seen).await
    }
}
