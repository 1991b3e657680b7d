//! Implements the engine's port [`Store`], method by method: what each writes and reads, and in
//! which order.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_engine::{
    At, Key, Nanos, Owner, RunId, Seq, WorkerId,
    journal::Record,
    store::{
        Account, Claimed, Commit, Delivery, Ends, Enlisted, Erasure, Error, First, InboxQuery,
        Interaction, Loaded, NewRun, Row, RunQuery, Store, Tick, Wanted,
    },
};
use tracing::warn;

use super::{
    large::{Large, Whose},
    read::{self, Most},
    store::SqliteStore,
    write::{Claim, ClaimRun, Create, Deliver, ReleaseDead, SetCap, WriteCommit},
};

/// How long a file is kept before a row names it.
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

    async fn redact(&self, erasure: Erasure) -> Result<bool, Error> {
        self.erase_run(erasure).await
    }

    async fn claim(
        &self,
        worker: &WorkerId,
        wanted: &Wanted,
        most: usize,
        now: At,
    ) -> Result<Claimed, Error> {
        self.writer()?;
        let (look, workers) = (wanted.clone(), self.workers.clone());
        let is_gone = move |keeper: &WorkerId| Ok(workers.is_dead(keeper)?);
        self.trusted()?;
        let ready = self.pool.read(move |db| read::is_ready(db, &look, now, is_gone));
        if most == 0 || !ready.await? {
            return Ok(Claimed::default());
        }
        let (claimant, wanted) = (worker.clone(), wanted.clone());
        let taken = self.post(Claim { worker: claimant, wanted, most, now }).await?;
        let runs: Vec<RunId> = taken.iter().map(|taken| taken.run.clone()).collect();
        let loaded = self.load_claimed(worker, taken).await?;
        // One run that cannot be read must not be in the way of all others.
        let mut claimed = Claimed::default();
        for (run, loaded) in runs.into_iter().zip(loaded) {
            match loaded {
                Ok(loaded) => claimed.runs.push(loaded),
                Err(Error::Refused(_)) => {}
                Err(error) => claimed.damaged.push((run, error.to_string())),
            }
        }
        Ok(claimed)
    }

    async fn claim_run(&self, worker: &WorkerId, run: &RunId) -> Result<Loaded, Error> {
        let taken = self.post(ClaimRun { worker: worker.clone(), run: run.clone() }).await?;
        let loaded = self.load_claimed(worker, vec![taken]).await?.pop();
        loaded.unwrap_or_else(|| Err(Error::NotFound(run.clone())))
    }

    async fn reclaim(&self) -> Result<u64, Error> {
        self.writer()?;
        self.put_back_owed().await?;
        let held = self.read(read::held_by).await?;
        let (all, ours) = (self.workers.clone(), self.worker_locks());
        let look = self.in_background(move || {
            // Before anybody is thought dead.
            ours.iter().try_for_each(|lock| all.keep(lock))?;
            all.sweep(&held)?;
            let (mut alive, mut dead) = (Vec::new(), Vec::new());
            for worker in held {
                if all.is_dead(&worker)? { &mut dead } else { &mut alive }.push(worker);
            }
            Ok((alive, dead))
        });
        let (alive, dead) = look.await?;
        if dead.is_empty() {
            return Ok(0);
        }
        let workers = dead.len();
        let freed = self.post(ReleaseDead { workers: dead }).await?;
        if freed > 0 {
            warn!(runs = freed, workers, "runs of dead workers are taken over");
        }
        let all = self.workers.clone();
        // What cannot be removed now will be next time; their runs are free.
        let _ = self.in_background(move || all.sweep(&alive)).await;
        Ok(freed)
    }

    async fn enlist(&self, worker: &WorkerId) -> Result<Box<dyn Enlisted>, Error> {
        self.writer()?;
        let (workers, name) = (self.workers.clone(), worker.clone());
        let alive = self.in_background(move || workers.enlist(&name)).await?;
        self.look_after(&alive);
        Ok(Box::new(alive))
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
        self.events_within(run, from, most, usize::MAX).await
    }

    async fn events_within(
        &self,
        run: &RunId,
        from: Seq,
        events: usize,
        bytes: usize,
    ) -> Result<Vec<Record>, Error> {
        self.trusted()?;
        let (run, blobs, most) = (run.clone(), self.blobs.clone(), Most { events, bytes });
        self.pool.read(move |db| read::events(db, &blobs, &run, from, most)).await
    }

    async fn ends(&self, run: &RunId) -> Result<Ends, Error> {
        self.trusted()?;
        let (run, blobs) = (run.clone(), self.blobs.clone());
        self.pool.read(move |db| read::ends(db, &blobs, &run)).await
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
        self.trusted()?;
        let wanted = wanted.clone();
        self.pool.read(move |db| read::next_wake(db, &wanted)).await
    }

    async fn newest(&self) -> Result<Option<At>, Error> {
        self.read(read::newest).await
    }

    async fn tidy(&self) -> Result<(), Error> {
        self.sweep(GRACE).await.map(drop)
    }

    async fn changed(&self, seen: Tick) -> Tick {
        self.notifier.wait(seen).await
    }
}
