//! The engine's port, method by method: who writes, who reads, and in which order.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_engine::{
    At, Key, Nanos, Owner, RunId, Seq, WorkerId,
    journal::Record,
    store::{
        Account, Commit, Delivery, Enlisted, Error, First, InboxQuery, Interaction, Loaded, NewRun,
        Row, RunQuery, Store, Wanted,
    },
};

use super::{
    large::{Large, Whose},
    read,
    store::{SqliteStore, in_background},
    write::{Bury, Claim, ClaimRun, Create, Deliver, SetCap, WriteCommit},
};

/// How long a file may lie there before a row names it.
const GRACE: Duration = Duration::from_secs(3600);

#[async_trait]
impl Store for SqliteStore {
    async fn create(&self, run: NewRun, first: First) -> Result<(), Error> {
        let large = Large::of(&first.step.records, first.step.snapshot.as_ref());
        let whose = Whose::Owner(run.owner.clone());
        let made = Arc::new((run, first));
        self.post_large(large, whose, |names| Create { made: made.clone(), names }).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), Error> {
        let large = Large::of(&commit.step.records, commit.step.snapshot.as_ref());
        let whose = Whose::Run(commit.claim.run.clone());
        let commit = Arc::new(commit);
        self.post_large(large, whose, |names| WriteCommit { commit: commit.clone(), names }).await
    }

    async fn deliver(&self, delivery: Delivery) -> Result<(), Error> {
        let record = std::slice::from_ref(&delivery.record);
        let large = Large::of(record, None);
        let whose = Whose::Run(delivery.run.clone());
        let delivery = Arc::new(delivery);
        self.post_large(large, whose, |names| Deliver { delivery: delivery.clone(), names }).await
    }

    async fn claim(
        &self,
        worker: &WorkerId,
        wanted: &Wanted,
        most: usize,
        now: At,
    ) -> Result<Vec<Loaded>, Error> {
        let look = wanted.clone();
        if most == 0 || !self.read(move |db| read::is_ready(db, &look, now)).await? {
            return Ok(Vec::new());
        }
        let (claimant, wanted) = (worker.clone(), wanted.clone());
        let runs = self.post(Claim { worker: claimant, wanted, most, now }).await?;
        let loaded = self.load_claimed(worker, runs).await?;
        // One run that cannot be read must not be in the way of all others.
        Ok(loaded.into_iter().filter_map(Result::ok).collect())
    }

    async fn claim_run(&self, worker: &WorkerId, run: &RunId) -> Result<Loaded, Error> {
        self.post(ClaimRun { worker: worker.clone(), run: run.clone() }).await?;
        let loaded = self.load_claimed(worker, vec![run.clone()]).await?.pop();
        loaded.unwrap_or_else(|| Err(Error::NotFound(run.clone())))
    }

    async fn reclaim(&self) -> Result<u64, Error> {
        let held = self.read(read::held_by).await?;
        let all = self.workers.clone();
        let (dead, graves) = in_background(move || {
            all.sweep(&held)?;
            let (mut dead, mut graves) = (Vec::new(), Vec::new());
            for worker in held {
                if let Some(grave) = all.dead(&worker)? {
                    dead.push(worker);
                    graves.push(grave);
                }
            }
            Ok((dead, graves))
        })
        .await?;
        if dead.is_empty() {
            return Ok(0);
        }
        let freed = self.post(Bury { workers: dead }).await?;
        graves.into_iter().for_each(super::workers::Grave::close);
        Ok(freed)
    }

    async fn enlist(&self, worker: &WorkerId) -> Result<Box<dyn Enlisted>, Error> {
        self.trusted()?;
        let (workers, name) = (self.workers.clone(), worker.clone());
        Ok(Box::new(in_background(move || workers.enlist(&name)).await?))
    }

    async fn load(&self, run: &RunId) -> Result<Loaded, Error> {
        match self.load_once(run).await {
            // Its holder may have replaced the state, and a sweep taken the file of the old one,
            // between our looks at the row and at the file.
            Err(Error::Damaged(_)) => self.load_once(run).await,
            loaded => loaded,
        }
    }

    async fn row(&self, run: &RunId) -> Result<Row, Error> {
        self.trusted()?;
        let run = run.clone();
        Ok(self.pool.read(move |db| read::row(db, &run)).await?.1)
    }

    async fn runs(&self, query: &RunQuery) -> Result<Vec<Row>, Error> {
        self.trusted()?;
        let query = query.clone();
        self.pool.read(move |db| read::runs(db, &query)).await
    }

    async fn events(&self, run: &RunId, from: Seq, most: usize) -> Result<Vec<Record>, Error> {
        self.trusted()?;
        let (run, blobs) = (run.clone(), self.blobs.clone());
        self.pool.read(move |db| read::events(db, &blobs, &run, from, most)).await
    }

    async fn interaction(&self, run: &RunId, key: &Key) -> Result<Option<Interaction>, Error> {
        let (run, key) = (run.clone(), key.clone());
        self.read(move |db| read::interaction(db, &run, &key)).await
    }

    async fn inbox(&self, query: &InboxQuery) -> Result<Vec<Interaction>, Error> {
        let query = query.clone();
        self.read(move |db| read::inbox(db, &query)).await
    }

    async fn account(&self, owner: &Owner) -> Result<Account, Error> {
        let owner = owner.clone();
        self.read(move |db| read::account(db, &owner)).await
    }

    async fn accounts(&self) -> Result<Vec<(Owner, Account)>, Error> {
        self.read(read::accounts).await
    }

    async fn set_cap(&self, owner: &Owner, cap: Option<Nanos>) -> Result<(), Error> {
        self.post(SetCap { owner: owner.clone(), cap }).await
    }

    async fn poked(&self, worker: &WorkerId) -> Result<Vec<RunId>, Error> {
        let worker = worker.clone();
        self.read(move |db| read::poked(db, &worker)).await
    }

    async fn next_wake(&self, wanted: &Wanted) -> Result<Option<At>, Error> {
        let wanted = wanted.clone();
        self.read(move |db| read::next_wake(db, &wanted)).await
    }

    async fn newest(&self) -> Result<Option<At>, Error> {
        self.read(read::newest).await
    }

    async fn tidy(&self) -> Result<(), Error> {
        self.sweep(GRACE).await.map(drop)
    }

    async fn changed(&self) {
        self.bell.wait().await;
    }
}
