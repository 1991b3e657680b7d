//! What the store in memory holds, and how writes change it.
//!
//! Each write looks at everything that could refuse it before it changes anything.
//! Where more than one thing does, the caller is told the first of: the run is not there, it is
//! closed, it is another's, it has moved on, the ask is not open, the owner's cap is reached.

use std::collections::BTreeMap;

use consign_accounts::Setting;
use consign_engine::{
    AskKind, Epoch, Key, Nanos, Owner, RunId, Seq, Status, StatusChange, WorkerId,
    discussion::{Comment, Revised},
    journal::{Content, Record},
    store::{
        Account, AskChange, AskState, Commit, Delivery, Erasure, Error, Figures, First,
        Interaction, Ledger, Loaded, NewRun, Placement, Refusal, Row, Snapshot, Standing, Step,
    },
    vault::Sealed,
};

use super::Users;

/// Everything.
#[derive(Clone, Debug, Default)]
pub struct MemoryState {
    pub(super) runs: BTreeMap<RunId, KeptRun>,
    pub(super) asks: BTreeMap<(RunId, Key), KeptAsk>,
    accounts: BTreeMap<Owner, Account>,
    pub(super) sealed: BTreeMap<(Owner, String), Sealed>,
    pub(super) users: Users,
    pub(super) settings: BTreeMap<(Owner, String), Setting>,
    pub(super) comments: Vec<Comment>,
    pub(super) revisions: Vec<Revised>,
    /// How many guards each living worker has.
    alive: BTreeMap<WorkerId, usize>,
    /// The owner of the run that was claimed last.
    pub(super) served: Option<Owner>,
    /// How many runs and asks there ever were: what tells the older from the younger.
    ordinal: u64,
}

/// A run with all its events.
#[derive(Clone, Debug)]
pub struct KeptRun {
    pub ordinal: u64,
    pub row: Row,
    pub journal: Vec<Record>,
    pub snapshot: Option<Snapshot>,
    /// Something was delivered that its holder has not seen.
    pub poked: bool,
    /// The worker of the command that has it in its care.
    pub keeper: Option<WorkerId>,
}

/// An entry of the inbox, open or not.
#[derive(Clone, Debug)]
pub struct KeptAsk {
    pub ordinal: u64,
    pub interaction: Interaction,
}

/// To look at.
impl MemoryState {
    #[must_use]
    pub fn runs(&self) -> &BTreeMap<RunId, KeptRun> {
        &self.runs
    }

    #[must_use]
    pub fn asks(&self) -> &BTreeMap<(RunId, Key), KeptAsk> {
        &self.asks
    }

    #[must_use]
    pub fn accounts(&self) -> &BTreeMap<Owner, Account> {
        &self.accounts
    }

    #[must_use]
    pub fn is_alive(&self, worker: &WorkerId) -> bool {
        self.alive.contains_key(worker)
    }

    pub fn run(&self, run: &RunId) -> Result<&KeptRun, Error> {
        self.runs.get(run).ok_or_else(|| Error::NotFound(run.clone()))
    }

    #[must_use]
    pub fn ask(&self, run: &RunId, key: &Key) -> Option<&KeptAsk> {
        self.asks.get(&(run.clone(), key.clone()))
    }

    #[must_use]
    pub fn account(&self, owner: &Owner) -> Account {
        self.accounts.get(owner).copied().unwrap_or_default()
    }
}

impl KeptRun {
    pub(super) fn load(&self) -> Result<Loaded, Error> {
        if self.row.redacted {
            return Err(Error::Redacted(self.row.id.clone()));
        }
        let snapshot = self.snapshot.clone().ok_or_else(|| {
            Error::Damaged(format!("run {} was made without a snapshot", self.row.id))
        })?;
        let since = |record: &&Record| record.seq > snapshot.seq;
        let tail = self.journal.iter().filter(since).cloned().collect();
        Ok(Loaded { row: self.row.clone(), snapshot, tail })
    }

    /// Takes a turn that the table of statuses allows. Whoever held the run does so no more.
    pub(super) fn turn(&mut self, turn: StatusChange) {
        let after = self.row.status.after(turn);
        self.row.status = after.unwrap_or_else(|fault| panic!("run {}: {fault}", self.row.id));
        self.row.worker = None;
        self.row.wake_at = None;
        self.row.interrupted = false;
        self.poked = false;
    }

    /// Its holder stops in the middle of it, or died.
    pub(super) fn release(&mut self) {
        self.turn(StatusChange::Release);
        self.row.interrupted = match self.row.placement {
            Placement::Foreground | Placement::HereOnly => self.keeper.is_some(),
            Placement::Anywhere | Placement::Host(_) => false,
        };
    }

    fn open(&self) -> Result<&Self, Refusal> {
        if self.row.status.is_closed() { Err(Refusal::Closed) } else { Ok(self) }
    }

    fn unmoved(&self, seen: Seq) -> Result<&Self, Refusal> {
        let newest = self.row.seq;
        if newest == seen { Ok(self) } else { Err(Refusal::Moved { newest }) }
    }

    fn append(&mut self, record: Record) {
        let last = self.journal.last();
        let follows = last.map_or(Seq(0), |last| last.seq.next()) == record.seq
            && last.map(|last| last.hash) == record.prev;
        assert!(follows, "event {} of run {} is not chained", record.seq, self.row.id);
        self.row.seq = record.seq;
        self.row.head = record.hash;
        self.row.at = record.at;
        self.journal.push(record);
    }
}

/// What the port writes.
impl MemoryState {
    pub(super) fn create(&mut self, run: NewRun, first: First) -> Result<(), Error> {
        if self.runs.contains_key(&run.id) {
            return Err(Error::Exists(run.id));
        }
        let account = self.settled(&run.owner, first.step.ledger)?;
        let created = first.step.records.first();
        let created = created.ok_or_else(|| Error::Damaged("a run begins with an event".into()))?;
        let epoch = Epoch(u64::from(first.claim.is_some()));
        let row = Row {
            id: run.id.clone(),
            workflow: run.workflow,
            version: run.version,
            owner: run.owner,
            placement: run.placement,
            priority: run.priority,
            // Its first step says where it is left.
            status: Status::Running,
            seq: created.seq,
            head: created.hash,
            created_at: created.at,
            at: created.at,
            epoch,
            worker: first.claim,
            wake_at: None,
            figures: Figures::default(),
            label: None,
            interrupted: false,
            redacted: false,
        };
        let kept = KeptRun {
            ordinal: self.next_ordinal(),
            row,
            journal: Vec::new(),
            snapshot: None,
            poked: false,
            keeper: run.keeper,
        };
        self.runs.insert(run.id.clone(), kept);
        self.take(&run.id, account, first.step);
        // One that is new was not interrupted.
        if let Some(run) = self.runs.get_mut(&run.id) {
            run.row.interrupted = false;
        }
        Ok(())
    }

    pub(super) fn commit(&mut self, commit: Commit) -> Result<(), Error> {
        let Commit { claim, seen, step } = commit;
        let row = &self.run(&claim.run)?.open()?.row;
        if row.worker.as_ref() != Some(&claim.worker) || row.epoch != claim.epoch {
            return Err(Refusal::Fenced.into());
        }
        let row = &self.run(&claim.run)?.unmoved(seen)?.row;
        let account = self.settled(&row.owner, step.ledger)?;
        self.take(&claim.run, account, step);
        Ok(())
    }

    pub(super) fn deliver(&mut self, delivery: Delivery) -> Result<(), Error> {
        let Delivery { run: id, seen, record, answers, cap } = delivery;
        self.run(&id)?.open()?.unmoved(seen)?;
        if let Some(key) = answers {
            let ask = self.asks.get_mut(&(id.clone(), key));
            let ask = ask.filter(|ask| ask.interaction.state == AskState::Open);
            let ask = &mut ask.ok_or(Refusal::NotOpen)?.interaction;
            ask.state = AskState::Answered;
            ask.answered = Some((record.actor.clone(), record.at));
        }
        let run = self.runs.get_mut(&id).ok_or(Error::NotFound(id))?;
        run.append(record);
        if cap.is_some() {
            run.row.figures.cap = cap;
        }
        if run.row.worker.is_some() {
            run.poked = true;
        } else {
            run.turn(StatusChange::Deliver);
        }
        Ok(())
    }

    pub(super) fn redact(&mut self, erasure: Erasure) -> Result<bool, Error> {
        let Erasure { run: id, seen, record } = erasure;
        let run = self.run(&id)?;
        if run.row.redacted {
            return Ok(false);
        }
        if !run.row.status.is_closed() {
            return Err(Refusal::Open.into());
        }
        run.unmoved(seen)?;
        let run = self.runs.get_mut(&id).expect("it was found");
        for record in &mut run.journal {
            record.content = Content::Redacted(record.content.commitment());
        }
        run.append(record);
        run.snapshot = None;
        run.row.redacted = true;
        self.asks.retain(|(of, _), _| *of != id);
        for comment in self.comments.iter_mut().filter(|comment| comment.run == id) {
            comment.text.clear();
        }
        for revision in self.revisions.iter_mut().filter(|revision| revision.run == id) {
            revision.instruction.clear();
        }
        Ok(true)
    }

    pub(super) fn set_cap(&mut self, owner: &Owner, cap: Option<Nanos>) {
        self.accounts.entry(owner.clone()).or_default().cap = cap;
        let limits = self.asks.values().map(|ask| &ask.interaction);
        let limits = limits
            .filter(|ask| ask.kind == AskKind::Limit && ask.state == AskState::Open)
            .map(|ask| ask.run.clone())
            .collect::<Vec<_>>();
        for id in limits {
            let run = self.runs.get_mut(&id).expect("an ask is of a run");
            if run.row.owner == *owner && run.row.status == Status::Waiting {
                run.turn(StatusChange::Wake);
            }
        }
    }

    pub(super) fn enlist(&mut self, worker: &WorkerId) {
        *self.alive.entry(worker.clone()).or_default() += 1;
    }

    pub(super) fn bury(&mut self, worker: &WorkerId) {
        if let Some(guards) = self.alive.get_mut(worker) {
            *guards -= 1;
        }
        self.alive.retain(|_, guards| *guards > 0);
    }

    /// The owner's account after a step, or why the step cannot be.
    fn settled(&self, owner: &Owner, ledger: Ledger) -> Result<Account, Refusal> {
        self.account(owner).settled(ledger)
    }

    /// Writes a step that nothing refused.
    fn take(&mut self, id: &RunId, account: Account, step: Step) {
        let run = self.runs.get_mut(id).expect("the caller found it");
        step.records.into_iter().for_each(|record| run.append(record));
        run.row.figures = step.figures;
        run.row.version = step.upgraded.unwrap_or(run.row.version);
        run.poked = false;
        if let Some(label) = step.label {
            run.row.label = label;
        }
        if step.snapshot.is_some() {
            run.snapshot = step.snapshot;
        }
        match step.standing {
            Standing::Held => {}
            Standing::Queued => run.release(),
            Standing::Parked { wake_at } => {
                run.turn(StatusChange::Park);
                run.row.wake_at = wake_at;
            }
            Standing::Closed(Status::Succeeded) => run.turn(StatusChange::Succeed),
            Standing::Closed(Status::Failed) => run.turn(StatusChange::Fail),
            Standing::Closed(Status::Cancelled) => run.turn(StatusChange::Cancel),
            Standing::Closed(open) => panic!("a run cannot be closed as {open}"),
        }
        self.accounts.insert(run.row.owner.clone(), account);
        for change in step.asks {
            match change {
                AskChange::Open(interaction) => self.open_ask(interaction),
                AskChange::Expire(key) => self.end_ask(id, &key, AskState::Expired),
                AskChange::Withdraw(key) => self.end_ask(id, &key, AskState::Withdrawn),
            }
        }
        if let Standing::Closed(_) = step.standing {
            let keys = self.asks.keys().filter(|(run, _)| run == id);
            for (_, key) in keys.cloned().collect::<Vec<_>>() {
                self.end_ask(id, &key, AskState::Withdrawn);
            }
        }
    }

    /// The engine's own asks come back under the same key.
    fn open_ask(&mut self, interaction: Interaction) {
        let key = (interaction.run.clone(), interaction.key.clone());
        let ordinal = self.next_ordinal();
        self.asks.insert(key, KeptAsk { ordinal, interaction });
    }

    fn end_ask(&mut self, run: &RunId, key: &Key, state: AskState) {
        if let Some(ask) = self.asks.get_mut(&(run.clone(), key.clone()))
            && ask.interaction.state == AskState::Open
        {
            ask.interaction.state = state;
        }
    }

    fn next_ordinal(&mut self) -> u64 {
        self.ordinal += 1;
        self.ordinal
    }
}
