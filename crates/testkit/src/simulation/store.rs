//! The store as one process sees it: the contents are in memory, and the way there is a [`Wire`].
//!
//! Everything that takes effect is shown to the model. The planted bugs live here.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_engine::{
    At, Key, Nanos, Owner, RunId, Seq, WorkerId,
    journal::Record,
    store::{
        Account, AskState, Claimed, Commit, Delivery, Enlisted, Erasure, Error, First, InboxQuery,
        Interaction, Loaded, NewRun, Row, RunQuery, Store, Tick, Wanted,
    },
};
use tokio::time::sleep;

use super::{
    life::Life,
    sabotage::Sabotage,
    wire::{Kind, Wire, at_once},
    world::World,
    writes::Writes,
};
use crate::memory::MemoryStore;

pub(super) struct SimStore {
    wire: Wire,
    memory: MemoryStore,
}

impl SimStore {
    pub(super) fn new(world: Arc<World>, life: Arc<Life>) -> Self {
        let memory = world.memory.clone();
        Self { wire: Wire { world, life }, memory }
    }

    fn writes(&self) -> Writes {
        Writes { world: self.wire.world.clone(), life: self.wire.life.clone() }
    }

    async fn read<T: Send + 'static>(
        &self,
        name: &'static str,
        what: impl FnOnce(&MemoryStore) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let memory = self.memory.clone();
        self.wire.send((Kind::Read, name), move || what(&memory)).await
    }

    /// Somebody learns that a write is safe.
    fn promise(&self, run: &RunId, last: Option<(Seq, consign_engine::journal::Hash)>) {
        if let Some((seq, hash)) = last {
            let verdict = self.wire.world.model().promised(run, seq, hash);
            self.wire.world.judge(verdict);
        }
    }
}

fn last(records: &[Record]) -> Option<(Seq, consign_engine::journal::Hash)> {
    records.last().map(|record| (record.seq, record.hash))
}

#[async_trait]
impl Store for SimStore {
    async fn create(&self, run: NewRun, mut first: First) -> Result<(), Error> {
        if let Some(bug) = self.wire.world.sabotage {
            bug.spoil_fork(&run.id, &mut first.step);
        }
        let (id, last, writes) = (run.id.clone(), last(&first.step.records), self.writes());
        self.wire.send((Kind::Word, "create"), move || writes.create(run, first)).await?;
        self.promise(&id, last);
        Ok(())
    }

    async fn commit(&self, commit: Commit) -> Result<(), Error> {
        let (id, last, writes) =
            (commit.claim.run.clone(), last(&commit.step.records), self.writes());
        let world = &self.wire.world;
        if world.suffers(Sabotage::EarlyAck) && world.random.chance(100) {
            let late = world.random.millis(1, 50);
            tokio::spawn(async move {
                sleep(late).await;
                writes.commit(commit)
            });
            return Ok(());
        }
        if world.suffers(Sabotage::LostCommit) && world.random.chance(100) {
            self.promise(&id, last);
            return Ok(());
        }
        self.wire.send((Kind::Word, "commit"), move || writes.commit(commit)).await?;
        self.promise(&id, last);
        Ok(())
    }

    async fn deliver(&self, delivery: Delivery) -> Result<(), Error> {
        let writes = self.writes();
        let (id, last) = (delivery.run.clone(), last(std::slice::from_ref(&delivery.record)));
        self.wire.send((Kind::Word, "deliver"), move || writes.deliver(delivery)).await?;
        self.promise(&id, last);
        Ok(())
    }

    async fn redact(&self, erasure: Erasure) -> Result<bool, Error> {
        let memory = self.memory.clone();
        self.wire.send((Kind::Word, "redact"), move || at_once(memory.redact(erasure))).await
    }

    async fn claim(
        &self,
        worker: &WorkerId,
        wanted: &Wanted,
        most: usize,
        now: At,
    ) -> Result<Claimed, Error> {
        let (writes, worker, wanted) = (self.writes(), worker.clone(), wanted.clone());
        self.wire
            .send((Kind::Chore, "claim"), move || writes.claim(&worker, &wanted, most, now))
            .await
    }

    async fn claim_run(&self, worker: &WorkerId, run: &RunId) -> Result<Loaded, Error> {
        let (writes, worker, run) = (self.writes(), worker.clone(), run.clone());
        self.wire.send((Kind::Chore, "claim_run"), move || writes.claim_run(&worker, &run)).await
    }

    async fn reclaim(&self) -> Result<u64, Error> {
        let writes = self.writes();
        self.wire.send((Kind::Chore, "reclaim"), move || writes.reclaim()).await
    }

    async fn enlist(&self, worker: &WorkerId) -> Result<Box<dyn Enlisted>, Error> {
        let (memory, life, worker) = (self.memory.clone(), self.wire.life.clone(), worker.clone());
        self.wire
            .send((Kind::Chore, "enlist"), move || {
                let guard = at_once(memory.enlist(&worker))?;
                // Nobody sits down after death.
                if !life.is_over() {
                    life.sit(worker, guard);
                }
                Ok(())
            })
            .await?;
        Ok(Box::new(Seated))
    }

    async fn load(&self, run: &RunId) -> Result<Loaded, Error> {
        let run = run.clone();
        self.read("load", move |memory| at_once(memory.load(&run))).await
    }

    async fn row(&self, run: &RunId) -> Result<Row, Error> {
        let run = run.clone();
        self.read("row", move |memory| at_once(memory.row(&run))).await
    }

    async fn runs(&self, query: &RunQuery) -> Result<Vec<Row>, Error> {
        let query = query.clone();
        self.read("runs", move |memory| at_once(memory.runs(&query))).await
    }

    async fn events(&self, run: &RunId, from: Seq, most: usize) -> Result<Vec<Record>, Error> {
        let run = run.clone();
        self.read("events", move |memory| at_once(memory.events(&run, from, most))).await
    }

    async fn events_within(
        &self,
        run: &RunId,
        from: Seq,
        most: usize,
        bytes: usize,
    ) -> Result<Vec<Record>, Error> {
        let run = run.clone();
        let read =
            move |memory: &MemoryStore| at_once(memory.events_within(&run, from, most, bytes));
        self.read("events", read).await
    }

    async fn interaction(&self, run: &RunId, key: &Key) -> Result<Option<Interaction>, Error> {
        let (run, key) = (run.clone(), key.clone());
        let found =
            self.read("interaction", move |memory| at_once(memory.interaction(&run, &key))).await?;
        Ok(found.map(|mut ask| {
            let twice = self.wire.world.suffers(Sabotage::AnsweredTwice);
            if twice && ask.state == AskState::Answered {
                ask.state = AskState::Open;
            }
            ask
        }))
    }

    async fn inbox(&self, query: &InboxQuery) -> Result<Vec<Interaction>, Error> {
        let query = query.clone();
        self.read("inbox", move |memory| at_once(memory.inbox(&query))).await
    }

    async fn account(&self, owner: &Owner) -> Result<Account, Error> {
        let owner = owner.clone();
        self.read("account", move |memory| at_once(memory.account(&owner))).await
    }

    async fn accounts(&self) -> Result<Vec<(Owner, Account)>, Error> {
        self.read("accounts", move |memory| at_once(memory.accounts())).await
    }

    async fn set_cap(&self, owner: &Owner, cap: Option<Nanos>) -> Result<(), Error> {
        let (writes, owner) = (self.writes(), owner.clone());
        self.wire.send((Kind::Word, "set_cap"), move || writes.set_cap(&owner, cap)).await
    }

    async fn poked(&self, worker: &WorkerId) -> Result<Vec<RunId>, Error> {
        let worker = worker.clone();
        if self.wire.world.suffers(Sabotage::LostPoke) {
            return Ok(Vec::new());
        }
        self.read("poked", move |memory| at_once(memory.poked(&worker))).await
    }

    async fn next_wake(&self, wanted: &Wanted) -> Result<Option<At>, Error> {
        let wanted = wanted.clone();
        self.read("next_wake", move |memory| at_once(memory.next_wake(&wanted))).await
    }

    async fn newest(&self) -> Result<Option<At>, Error> {
        self.read("newest", move |memory| at_once(memory.newest())).await
    }

    async fn changed(&self, seen: Tick) -> Tick {
        self.wire.life.breathe().await;
        self.wire.world.tick(&self.wire.life, "changed");
        // Late news may be dropped with whoever waits for it, so it is late before it is taken.
        if self.wire.world.random.chance(200) {
            sleep(Duration::from_millis(self.wire.world.random.below(40))).await;
        }
        Tick(self.wire.world.change_since(seen.0).await)
    }
}

/// The place itself is kept by the [`Life`], which may lose it while the engine believes in it.
struct Seated;

impl Enlisted for Seated {}
