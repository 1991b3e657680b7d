//! A store with some runs, set up in short calls.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use consign_engine::{
    At, Nanos, Owner, RunId, Status,
    store::{Commit, Delivery, Error, InboxQuery, NewRun, Refusal, Row, RunQuery, Store, Wanted},
};

use super::{Contents, StorePlace};
use crate::draft::{DAWN, Draft, WORKFLOW, claim_of, new_run};

/// One peer. Each run that it makes is a second younger than the one before.
pub struct Scene {
    pub store: Arc<dyn Store>,
    made: AtomicI64,
}

impl Deref for Scene {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        &*self.store
    }
}

impl Scene {
    pub async fn open(place: &dyn StorePlace) -> Self {
        Self { store: place.open().await, made: AtomicI64::new(0) }
    }

    /// The instant at which the next run is made.
    pub fn dawn(&self) -> At {
        let seconds = self.made.fetch_add(1, Ordering::Relaxed).unsigned_abs();
        DAWN + Duration::from_secs(seconds)
    }

    pub async fn queued(&self, run: &str) -> Row {
        self.make(new_run(run)).await
    }

    pub async fn make(&self, run: NewRun) -> Row {
        let first = Draft::first(&run, self.dawn()).unclaimed();
        let id = run.id.clone();
        self.create(run, first).await.expect("a new run");
        self.see(&id).await
    }

    pub async fn held(&self, run: &str, by: &str) -> Row {
        self.make_held(new_run(run), by).await
    }

    pub async fn make_held(&self, run: NewRun, by: &str) -> Row {
        let first = Draft::first(&run, self.dawn()).held_by(by);
        let id = run.id.clone();
        self.create(run, first).await.expect("a new run");
        self.see(&id).await
    }

    /// A run that waits for a delivery.
    pub async fn waiting(&self, run: &str) -> Row {
        let row = self.held(run, "starter").await;
        self.step(&row, Draft::after(&row).parked()).await
    }

    /// A run that waits for an instant.
    pub async fn waiting_until(&self, run: &str, instant: At) -> Row {
        let row = self.held(run, "starter").await;
        self.step(&row, Draft::after(&row).parked_until(instant)).await
    }

    pub async fn closed(&self, run: &str) -> Row {
        let row = self.held(run, "starter").await;
        self.step(&row, Draft::after(&row).closed(Status::Succeeded)).await
    }

    /// The holder writes a step that is not refused.
    pub async fn step(&self, row: &Row, draft: Draft) -> Row {
        self.commit(draft.by(&claim_of(row))).await.expect("a step by the holder");
        self.see(&row.id).await
    }

    /// Something comes that is not refused.
    pub async fn brings(&self, delivery: Delivery) -> Row {
        let run = delivery.run.clone();
        self.deliver(delivery).await.expect("a delivery");
        self.see(&run).await
    }

    pub async fn see(&self, run: &RunId) -> Row {
        self.row(run).await.expect("the run is there")
    }

    /// All runs, newest first.
    pub async fn rows(&self) -> Vec<Row> {
        let query = RunQuery { most: usize::MAX, ..RunQuery::default() };
        self.runs(&query).await.expect("the runs")
    }

    /// All that is in the store.
    pub async fn contents(&self) -> Contents {
        Contents::of(&*self.store).await
    }

    pub async fn caps(&self, owner: &str, nanos: u64) {
        let cap = Some(Nanos::new(nanos));
        self.set_cap(&Owner::from(owner), cap).await.expect("a cap");
    }

    /// A commit is refused so, and nothing of it is there.
    pub async fn refuses(&self, commit: Commit, why: Refusal) {
        let before = self.contents().await;
        refused(self.commit(commit).await, &why);
        assert_eq!(self.contents().await, before, "{why}, yet something is left");
    }

    /// A delivery is refused so, and nothing of it is there.
    pub async fn sends_back(&self, delivery: Delivery, why: Refusal) {
        let before = self.contents().await;
        refused(self.deliver(delivery).await, &why);
        assert_eq!(self.contents().await, before, "{why}, yet something is left");
    }
}

/// It was refused, and for this.
pub(super) fn refused<T: std::fmt::Debug>(result: Result<T, Error>, why: &Refusal) {
    match result {
        Err(Error::Refused(told)) if told == *why => {}
        other => panic!("expected {why:?}, found {other:?}"),
    }
}

/// The whole inbox.
pub(super) fn all_asks() -> InboxQuery {
    InboxQuery { most: usize::MAX, ..InboxQuery::default() }
}

/// Whatever any worker takes that has no host.
pub(super) fn anything() -> Wanted {
    Wanted { workflows: [(WORKFLOW.to_owned(), 1)].into(), host: None }
}
