//! Where runs live between steps: the engine's one port to a database.
//!
//! Every process is a peer on the same store. A run has at most one holder at a time, which alone may
//! [`commit`](Store::commit); any process may [`deliver`](Store::deliver). Both name the newest event
//! they have seen, and are refused when there is a newer one: then the caller looks again.
//!
//! Whatever a method has answered `Ok` to is durable. A refused write leaves nothing behind, and
//! spares the others that shared its transaction. Where several refusals fit, the first of closed or open,
//! fenced, moved, not open and over cap is given.
//!
//! A write that is dropped before it has answered may happen all the same.

use std::{collections::BTreeMap, fmt, sync::Arc};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{
    Actor, AgentName, AskKind, At, Data, Epoch, Key, Nanos, Owner, RunId, Seq, Status, Version,
    WorkerId,
    journal::{Hash, Record},
};

#[async_trait]
pub trait Store: Send + Sync {
    /// Makes a run with its first events. `first.claim` says whether it is held from the start.
    /// [`Error::Exists`] if there is a run with this id.
    async fn create(&self, run: NewRun, first: First) -> Result<(), Error>;

    /// Writes one step of a run: events, standing, ledger, inbox and snapshot, all or nothing.
    async fn commit(&self, commit: Commit) -> Result<(), Error>;

    /// Writes what comes from outside. A run that waits is queued by it; one that is held has its
    /// holder told (see [`Store::poked`]).
    async fn deliver(&self, delivery: Delivery) -> Result<(), Error>;

    /// Erases what a closed run has said and heard, all or nothing: the bodies and salts of its events, its state, its
    /// asks, and the words of comments and wishes about it. Appends one event that says so. What binds each body stays, so that the
    /// chain holds; so do the run's row with its figures and label, and the actor, kind and instant of each event.
    ///
    /// What was erased can be read nowhere in the store any more once this has answered `Ok`: not through the port,
    /// and not in its files, unless a copy was made before. Says whether this call did it. A run that is redacted
    /// already takes no second event, whatever the caller has seen; what an interrupted redaction left in files is
    /// cleared then.
    ///
    /// [`Refusal::Open`] while the run is not over.
    async fn redact(&self, erasure: Erasure) -> Result<bool, Error>;

    /// Takes up to `most` runs that can go on: queued ones, and waiting ones whose instant has come. Owners take
    /// turns: the next run is of the owner with the fewest runs in the hands of workers, and of several, of the one
    /// whose name follows that of the owner who was served last, in a circle. Among many owners, a store may
    /// compare only those who are next in the circle. The runs of one owner go by priority, then age.
    /// Foreground runs are among them, unless the command that took them by name still
    /// lives, or stopped in the middle ([`Row::interrupted`]). Each gets a new epoch. Fewer than `most` means that no more are ready.
    async fn claim(
        &self,
        worker: &WorkerId,
        wanted: &Wanted,
        most: usize,
        now: At,
    ) -> Result<Claimed, Error>;

    /// Takes this run by name, whatever its placement, into the worker's own care. [`Refusal::Held`] while a live worker has it,
    /// [`Refusal::Closed`] when it is over.
    async fn claim_run(&self, worker: &WorkerId, run: &RunId) -> Result<Loaded, Error>;

    /// Puts the runs of dead workers back to queued, with a new epoch. Says how many.
    async fn reclaim(&self) -> Result<u64, Error>;

    /// Announces a worker. It counts as alive until the guard is dropped or the process dies.
    async fn enlist(&self, worker: &WorkerId) -> Result<Box<dyn Enlisted>, Error>;

    /// A run and all that is needed to go on with it. [`Error::Redacted`] once its state is erased.
    async fn load(&self, run: &RunId) -> Result<Loaded, Error>;

    async fn row(&self, run: &RunId) -> Result<Row, Error>;

    /// Runs by age, newest first.
    async fn runs(&self, query: &RunQuery) -> Result<Vec<Row>, Error>;

    /// Events of a run from `from` on, in order.
    async fn events(&self, run: &RunId, from: Seq, most: usize) -> Result<Vec<Record>, Error>;

    /// Events of a run from `from` on, up to the event with which their bodies reach so many bytes. A
    /// caller that reads a whole journal holds at most that and one event in memory. If there is an
    /// event, at least one is returned.
    async fn events_within(
        &self,
        run: &RunId,
        from: Seq,
        most: usize,
        bytes: usize,
    ) -> Result<Vec<Record>, Error> {
        let (mut events, mut next, mut size) = (Vec::new(), from, 0_usize);
        while events.len() < most {
            let Some(event) = self.events(run, next, 1).await?.pop() else { break };
            (next, size) = (event.seq.next(), size.saturating_add(event.size()));
            events.push(event);
            if size >= bytes {
                break;
            }
        }
        Ok(events)
    }

    /// The row of a run with its first event and its newest one, all from one moment.
    async fn ends(&self, run: &RunId) -> Result<Ends, Error> {
        loop {
            let row = self.row(run).await?;
            let first = self.events(run, Seq(0), 1).await?.pop();
            let newest = self.events(run, row.seq, 1).await?.pop();
            // It went on meanwhile, otherwise.
            if self.row(run).await? == row {
                return Ok(Ends { row, first, newest });
            }
        }
    }

    /// An ask, open or not. `None` if it never was.
    async fn interaction(&self, run: &RunId, key: &Key) -> Result<Option<Interaction>, Error>;

    /// Open asks, oldest first; or answered ones, newest first.
    async fn inbox(&self, query: &InboxQuery) -> Result<Vec<Interaction>, Error>;

    /// What an owner has spent over all runs. An unknown owner has spent nothing.
    async fn account(&self, owner: &Owner) -> Result<Account, Error>;

    async fn accounts(&self) -> Result<Vec<(Owner, Account)>, Error>;

    /// Sets what an owner may spend over all runs, and queues those that waited for it.
    async fn set_cap(&self, owner: &Owner, cap: Option<Nanos>) -> Result<(), Error>;

    /// Runs of this worker to which something was delivered that it has not seen.
    async fn poked(&self, worker: &WorkerId) -> Result<Vec<RunId>, Error>;

    /// The next instant for which a run waits that this worker may claim.
    async fn next_wake(&self, wanted: &Wanted) -> Result<Option<At>, Error>;

    /// The newest instant on record.
    async fn newest(&self) -> Result<Option<At>, Error>;

    /// Removes what is no longer needed. Workers call it now and then.
    async fn tidy(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Returns when something may have changed since `seen`, in this process or another. A caller that
    /// reads the store and then waits with the [`Tick`] of its last wait misses nothing.
    async fn changed(&self, seen: Tick) -> Tick;
}

/// How far a caller has followed the changes of a store, from the beginning. Each store object has
/// its own count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tick(pub u64);

/// Keeps a worker registered as alive until it is dropped.
pub trait Enlisted: Send + Sync {}

/// Which processes may go on with a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// The command that was given the run by name, while it lives. Once it is gone and something is delivered to
    /// the run, or its instant comes, any worker.
    Foreground,
    /// Only commands that are given the run by name.
    HereOnly,
    Anywhere,
    /// Only workers of this host: the run has a workspace there.
    Host(Arc<str>),
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreground => f.write_str("foreground"),
            Self::HereOnly => f.write_str("here_only"),
            Self::Anywhere => f.write_str("anywhere"),
            Self::Host(host) => write!(f, "host:{host}"),
        }
    }
}

impl Placement {
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "foreground" => Some(Self::Foreground),
            "here_only" => Some(Self::HereOnly),
            "anywhere" => Some(Self::Anywhere),
            _ => word
                .strip_prefix("host:")
                .filter(|id| !id.is_empty())
                .map(|id| Self::Host(id.into())),
        }
    }
}

/// A run that is about to be created.
#[derive(Clone, Debug)]
pub struct NewRun {
    pub id: RunId,
    pub workflow: String,
    pub version: Version,
    pub owner: Owner,
    pub placement: Placement,
    /// Higher goes first.
    pub priority: i32,
    /// The worker of the command that has it in its care.
    pub keeper: Option<WorkerId>,
}

/// The first events of a run.
#[derive(Clone, Debug)]
pub struct First {
    /// The worker that holds it from the start, in epoch 1. Without one the step must leave it
    /// queued, parked or closed, in epoch 0.
    pub claim: Option<WorkerId>,
    /// Must have a snapshot.
    pub step: Step,
}

/// Proof that a worker was given a run. It is worth nothing once another epoch began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub run: RunId,
    pub worker: WorkerId,
    pub epoch: Epoch,
}

/// A step by the holder of a run.
#[derive(Clone, Debug)]
pub struct Commit {
    pub claim: Claim,
    /// The newest event that the holder knows.
    pub seen: Seq,
    pub step: Step,
}

/// What a step writes.
#[derive(Clone, Debug)]
pub struct Step {
    /// New events, chained to the newest known. May be empty: then only the standing changes.
    pub records: Vec<Record>,
    pub standing: Standing,
    /// The run's own figures after this step.
    pub figures: Figures,
    /// What changes for the owner.
    pub ledger: Ledger,
    pub asks: Vec<AskChange>,
    pub snapshot: Option<Snapshot>,
    /// The version of the workflow under which the run goes on, where that is another.
    pub upgraded: Option<Version>,
    /// The label of the run from now on, where that is another.
    pub label: Option<Option<String>>,
}

/// Where a step leaves its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its holder goes on with it.
    Held,
    /// It has no holder and waits for a delivery, or for an instant.
    Parked { wake_at: Option<At> },
    /// It has no holder and can go on.
    Queued,
    /// It is over. Asks that are still open are withdrawn.
    Closed(Status),
}

/// What lists show of a run's money.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub spent: Nanos,
    pub reserved: Nanos,
    pub cap: Option<Nanos>,
}

/// The changes that a step makes to the owner's account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Newly held back, counted after the other two. Refused with [`Refusal::OverCap`] if
    /// `spent + reserved` would pass the cap.
    pub reserve: Nanos,
    /// No longer held back.
    pub release: Nanos,
    pub spend: Nanos,
    /// A call without a known price begins: refused with [`Refusal::OverCap`] unless anything is left
    /// besides.
    pub unmetered: bool,
}

/// A change in the inbox.
#[derive(Clone, Debug)]
pub enum AskChange {
    /// The engine's own asks may come back under a key that ended: then they are new.
    Open(Interaction),
    /// The deadline took it.
    Expire(Key),
    Withdraw(Key),
}

/// An entry of the inbox.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    pub run: RunId,
    pub key: Key,
    pub kind: AskKind,
    /// The code of what made the engine ask. A workflow's own asks have none.
    pub code: Option<String>,
    /// The agent whose output the answer stands in for.
    pub agent: Option<AgentName>,
    pub prompt: String,
    pub schema: Data,
    pub deadline: Option<At>,
    pub default: Option<Data>,
    pub opened_at: At,
    pub state: AskState,
    /// The actor who answered it, and when.
    pub answered: Option<(Actor, At)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskState {
    Open,
    Answered,
    /// The deadline passed: the default was taken, or there was none.
    Expired,
    Withdrawn,
}

/// The state of a run at an event, so that nothing before it need be read again.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub seq: Seq,
    /// The hash of that event.
    pub head: Hash,
    /// The SHA-256 of the state's text.
    pub digest: Hash,
    pub state: Data,
}

/// Something from outside: one event, and what goes with it.
#[derive(Clone, Debug)]
pub struct Delivery {
    pub run: RunId,
    pub seen: Seq,
    pub record: Record,
    /// The ask that it answers, which must be open.
    pub answers: Option<Key>,
    /// The run's cap from now on.
    pub cap: Option<Nanos>,
}

/// A closed run whose content is to be erased.
#[derive(Clone, Debug)]
pub struct Erasure {
    pub run: RunId,
    /// The newest event that the caller knows.
    pub seen: Seq,
    /// The event that says so.
    pub record: Record,
}

/// The runs that a worker takes.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// With the newest version that the worker knows: runs of a newer one are for others.
    pub workflows: BTreeMap<String, Version>,
    /// Besides [`Placement::Anywhere`].
    pub host: Option<Arc<str>>,
}

/// A run from its two ends: what it was given, and how it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Ends {
    pub row: Row,
    pub first: Option<Record>,
    /// The event that the row names as its newest.
    pub newest: Option<Record>,
}

/// What lists show of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub id: RunId,
    pub workflow: String,
    pub version: Version,
    pub owner: Owner,
    pub placement: Placement,
    pub priority: i32,
    pub status: Status,
    pub seq: Seq,
    pub head: Hash,
    pub created_at: At,
    /// The instant of the newest event.
    pub at: At,
    pub epoch: Epoch,
    pub worker: Option<WorkerId>,
    pub wake_at: Option<At>,
    pub figures: Figures,
    /// Where the run stands, in a word of its workflow, as of the last step of its holder.
    pub label: Option<String>,
    /// A foreground run whose command stopped or died in the middle of it. Workers leave it alone until
    /// something is delivered to it.
    pub interrupted: bool,
    /// What it said and heard is erased.
    pub redacted: bool,
}

/// The result of a claim.
#[derive(Clone, Debug, Default)]
pub struct Claimed {
    pub runs: Vec<Loaded>,
    /// Runs that cannot be read, and why. They were put aside, to wait.
    pub damaged: Vec<(RunId, String)>,
}

/// A run with its newest snapshot and the events since.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub row: Row,
    pub snapshot: Snapshot,
    pub tail: Vec<Record>,
}

impl Loaded {
    /// The proof for its holder.
    #[must_use]
    pub fn claim(&self) -> Option<Claim> {
        let worker = self.row.worker.clone()?;
        Some(Claim { run: self.row.id.clone(), worker, epoch: self.row.epoch })
    }
}

#[derive(Clone, Debug, Default)]
pub struct RunQuery {
    pub status: Option<Status>,
    pub workflow: Option<String>,
    pub owner: Option<Owner>,
    pub label: Option<String>,
    /// Ids that begin so.
    pub prefix: Option<String>,
    /// Only runs older than this one.
    pub before: Option<RunId>,
    pub most: usize,
}

#[derive(Clone, Debug, Default)]
pub struct InboxQuery {
    pub run: Option<RunId>,
    pub owner: Option<Owner>,
    pub kind: Option<AskKind>,
    /// Only what is to be answered in the place of this agent, or of one that is pinned under its name
    /// (`name#…`).
    pub agent: Option<String>,
    /// Asks that were answered, instead of those that are open.
    pub answered: bool,
    /// Only asks whose deadline is after this instant, and those that have none.
    pub open_at: Option<At>,
    /// Only asks after this one.
    pub after: Option<(RunId, Key)>,
    pub most: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    pub spent: Nanos,
    pub reserved: Nanos,
    pub cap: Option<Nanos>,
}

impl Account {
    /// What may still be reserved.
    #[must_use]
    pub fn headroom(&self) -> Option<Nanos> {
        self.cap.map(|cap| cap.minus(self.spent + self.reserved))
    }

    /// The account after a step. What is spent and released counts before what is newly reserved,
    /// and only the last can be refused.
    pub fn settled(mut self, ledger: Ledger) -> Result<Self, Refusal> {
        self.spent = self.spent + ledger.spend;
        let before = self.reserved;
        self.reserved = before.minus(ledger.release);
        let needed = ledger.reserve + Nanos::new(u64::from(ledger.unmetered));
        if let Some(headroom) = self.headroom().filter(|headroom| needed > *headroom) {
            return Err(Refusal::OverCap { headroom });
        }
        // A step may release what it has itself reserved.
        self.reserved = (before + ledger.reserve).minus(ledger.release);
        Ok(self)
    }
}

/// Why a write did not happen. Nothing is wrong with the store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There are newer events than the caller has seen. It looks again and decides again.
    #[error("the run has moved on to event {newest}")]
    Moved { newest: Seq },
    /// Another worker has the run. The caller lets go of it.
    #[error("the run is no longer ours")]
    Fenced,
    #[error("the owner may reserve no more than ${headroom}")]
    OverCap { headroom: Nanos },
    /// The ask is not open (any more).
    #[error("the ask is not open")]
    NotOpen,
    #[error("the run is over")]
    Closed,
    #[error("the run is not over")]
    Open,
    #[error("worker {by} has the run")]
    Held { by: WorkerId },
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("there is no run {0}")]
    NotFound(RunId),
    #[error("there is a run {0} already")]
    Exists(RunId),
    /// What is wanted of it was erased.
    #[error("run {0} is redacted: what it said and heard is erased")]
    Redacted(RunId),
    /// What is kept there cannot be read, or makes no sense.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// It could not be done now; nothing was written.
    #[error("{0}")]
    Unavailable(String),
    /// It is unknown whether the last writes are on the disk. The process must stop.
    #[error("the store cannot be trusted any more: {0}")]
    Lost(String),
}
