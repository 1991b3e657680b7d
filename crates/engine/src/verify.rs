//! Proving a run: its chain is walked from the first event, its state folded again, and what is kept
//! beside the journal compared with what the events say. Likewise an owner's account, with the runs
//! that it is the sum of.

mod tables;

use std::collections::BTreeMap;

use self::tables::Told;
use crate::{
    Data, Engine, Error, Fault, Nanos, Owner, RunId, Seq, Status, Version,
    journal::{Body, Break, Chain, Forked, Hash, Record},
    refold::Refold,
    store::{self, InboxQuery, Interaction, Row, RunQuery, Snapshot},
};

/// Events or runs that are read at a time.
const PAGE: usize = 1000;
/// A page of events ends early when it is this large.
const PAGE_BYTES: usize = 4 << 20;
/// How often an account is added up anew because its runs moved on meanwhile.
const TRIES: usize = 10;

/// What was proven of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    pub events: u64,
    pub head: Hash,
    /// Whether the state was folded again and is the one that is kept; else why not. Where only the
    /// workflow is missing, everything else is proven all the same.
    pub state: Result<(), String>,
    /// The runs that this one was forked from, the nearest first.
    pub parents: Vec<Parent>,
}

/// What was proven of a run that another one was forked from.
#[derive(Clone, Debug, PartialEq)]
pub struct Parent {
    pub run: RunId,
    /// The event after which the fork begins.
    pub seq: Seq,
    /// Whether the journal holds and the fork began with what it comes to; else why that could not be told.
    pub state: Result<(), String>,
}

/// A run that does not hold.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Disproof {
    #[error(transparent)]
    Chain(#[from] Break),
    #[error("the kept state of event {seq} is not what the events before it come to")]
    State { seq: Seq },
    #[error("the run is kept as {kept}, and its journal says {told}")]
    Status { kept: String, told: String },
    /// The tables beside the journal hold something else than it says.
    #[error("{field} is kept as `{kept}`, and the journal says `{told}`")]
    Table { field: String, kept: String, told: String },
    #[error("what {owner} has {what} is kept as ${kept}, and the runs of {owner} come to ${told}")]
    Account { owner: Owner, what: &'static str, kept: Nanos, told: Nanos },
    #[error("{0}")]
    Damaged(String),
    #[error("event {seq} cannot follow from those before it: {fault}")]
    Impossible { seq: Seq, fault: Fault },
    #[error("run {run}, which it was forked from: {why}")]
    Parent { run: RunId, why: String },
}

impl Engine {
    /// Checks every link of a run's journal, that nothing is missing at its end, that a head kept
    /// elsewhere is one of its events, that its state is what the events come to, and that its row
    /// and its open asks are what the events say. Likewise the runs that it was forked from. What no event
    /// says is not proven: priority, holder, and when a waiting run is woken.
    pub async fn verify(
        &self,
        run: &RunId,
        head: Option<Hash>,
    ) -> Result<Result<Proof, Disproof>, Error> {
        let Walked { mut proof, mut forked, mut input } = match self.walk(run, head).await? {
            Ok(walked) => walked,
            Err(disproof) => return Ok(Err(disproof)),
        };
        while let Some(fork) = forked.take() {
            let parent = fork.run.clone();
            let walked = match self.walk(&parent, Some(fork.head)).await {
                Ok(Ok(walked)) => Ok(walked),
                Ok(Err(why)) => return Ok(Err(disproof_of(parent, why))),
                Err(Error::Store(store::Error::NotFound(_))) => Err("it is not here".to_owned()),
                Err(error) => return Err(error),
            };
            let state = match walked {
                Ok(walked) => {
                    let began = self.begins_as(&fork, input.as_ref()).await?;
                    (forked, input) = (walked.forked, walked.input);
                    match began {
                        Ok(true) => Ok(()),
                        Ok(false) => {
                            let why = "the fork does not begin with what it came to".to_owned();
                            return Ok(Err(Disproof::Parent { run: parent, why }));
                        }
                        Err(why) => Err(why),
                    }
                }
                Err(why) => Err(why),
            };
            proof.parents.push(Parent { run: parent, seq: fork.seq, state });
        }
        Ok(Ok(proof))
    }

    /// Proves a run by itself.
    async fn walk(
        &self,
        run: &RunId,
        head: Option<Hash>,
    ) -> Result<Result<Walked, Disproof>, Error> {
        loop {
            let kept = match self.kept(run).await {
                Err(store::Error::Damaged(why)) => return Ok(Err(Disproof::Damaged(why))),
                kept => kept?,
            };
            let checked = self.check(run, head, &kept).await?;
            // A run that moves on while it is read is read again; one that stands still is judged.
            if checked.is_ok() || self.store.row(run).await?.seq == kept.row.seq {
                return Ok(checked);
            }
        }
    }

    /// Compares an owner's account with what the owner's runs come to. Says whether that could be
    /// told: runs that never stand still cannot be added up.
    pub async fn verify_account(&self, owner: &Owner) -> Result<Result<bool, Disproof>, Error> {
        for _ in 0..TRIES {
            let tally = self.tally(owner).await?;
            let account = self.store.account(owner).await?;
            let amounts = [
                ("spent", account.spent, tally.spent),
                ("reserved", account.reserved, tally.reserved),
            ];
            let wrong = amounts.into_iter().find(|(_, kept, told)| kept != told);
            let Some((what, kept, told)) = wrong else { return Ok(Ok(true)) };
            if self.tally(owner).await? == tally {
                let owner = owner.clone();
                return Ok(Err(Disproof::Account { owner, what, kept, told }));
            }
        }
        Ok(Ok(false))
    }

    async fn tally(&self, owner: &Owner) -> Result<Tally, Error> {
        let mut tally = Tally::default();
        let mut query = RunQuery { owner: Some(owner.clone()), most: PAGE, ..RunQuery::default() };
        loop {
            let page = self.store.runs(&query).await?;
            page.iter().for_each(|row| tally.add(row));
            match page.last() {
                Some(last) if page.len() == PAGE => query.before = Some(last.id.clone()),
                Some(_) | None => return Ok(tally),
            }
        }
    }

    /// A run and its open asks, as of the same event.
    async fn kept(&self, run: &RunId) -> Result<Kept, store::Error> {
        let query =
            InboxQuery { run: Some(run.clone()), most: usize::MAX, ..InboxQuery::default() };
        loop {
            let before = self.store.row(run).await?.seq;
            let inbox = self.store.inbox(&query).await?;
            let (row, snapshot) = match self.store.load(run).await {
                Ok(loaded) => (loaded.row, Some(loaded.snapshot)),
                Err(store::Error::Redacted(_)) => (self.store.row(run).await?, None),
                Err(error) => return Err(error),
            };
            // Asks come and go with events: where none is new, they are still the same.
            if row.seq == before {
                return Ok(Kept { row, snapshot, inbox });
            }
        }
    }

    async fn check(
        &self,
        run: &RunId,
        head: Option<Hash>,
        Kept { row, snapshot, inbox }: &Kept,
    ) -> Result<Result<Walked, Disproof>, Error> {
        let mut chain = Chain::default();
        let mut known = head.is_none();
        let mut walk = Walk::new(self, self.upgrades(run, row.seq).await?);
        let mut from = Seq(0);
        while from <= row.seq {
            let page = match self.store.events_within(run, from, PAGE, PAGE_BYTES).await {
                Ok(page) => page,
                Err(store::Error::Damaged(cause)) => {
                    return Ok(Err(Break::Unreadable { seq: from, cause }.into()));
                }
                Err(error) => return Err(error.into()),
            };
            let Some(last) = page.last() else { break };
            from = last.seq.next();
            for record in page.iter().take_while(|record| record.seq <= row.seq) {
                if let Err(broken) = chain.take(record) {
                    return Ok(Err(broken.into()));
                }
                known |= Some(record.hash) == head;
                if let Err(disproof) = walk.take(run, record, snapshot.as_ref()) {
                    return Ok(Err(disproof));
                }
            }
        }
        let missing = head.filter(|_| !known);
        Ok(walk.conclude(&chain, missing, row, inbox, snapshot.as_ref()))
    }

    /// Where newer versions of the workflow took over: they count from before the event says so.
    pub(crate) async fn upgrades(
        &self,
        run: &RunId,
        newest: Seq,
    ) -> Result<BTreeMap<Seq, Version>, Error> {
        let mut upgrades = BTreeMap::new();
        let mut from = Seq(0);
        while from <= newest {
            let page = self.store.events_within(run, from, PAGE, PAGE_BYTES).await;
            let Ok(page) = page else { break };
            let Some(last) = page.last() else { break };
            from = last.seq.next();
            for record in page.iter().filter(|record| record.kind == "upgraded") {
                if let Ok(Some(Body::Upgraded(upgraded))) = record.body() {
                    upgrades.insert(upgraded.since, upgraded.to);
                }
            }
        }
        Ok(upgrades)
    }
}

/// What is kept of a run beside its journal.
struct Kept {
    row: Row,
    /// None once it is redacted.
    snapshot: Option<Snapshot>,
    inbox: Vec<Interaction>,
}

fn disproof_of(run: RunId, why: Disproof) -> Disproof {
    Disproof::Parent { run, why: why.to_string() }
}

/// What an owner's runs come to.
#[derive(Default, PartialEq)]
struct Tally {
    spent: Nanos,
    reserved: Nanos,
    /// Runs are only ever added, and events too: while there are as many of both, nothing moved. Money
    /// alone does not tell, because one run may reserve what another releases.
    runs: u64,
    events: u64,
}

impl Tally {
    fn add(&mut self, row: &Row) {
        self.spent = self.spent + row.figures.spent;
        self.reserved = self.reserved + row.figures.reserved;
        self.runs += 1;
        self.events = self.events.saturating_add(row.seq.0);
    }
}

/// Goes through a journal: what it says of the tables beside it, and the state that it comes to.
struct Walk<'a> {
    /// None before the first event, and once an event cannot be read.
    told: Option<Told>,
    refold: Refold<'a>,
    /// The state was compared with the snapshot.
    compared: bool,
    /// The run that this one was forked from.
    forked: Option<Forked>,
    /// What the run was given.
    input: Option<Data>,
    /// The newest event was written by the holder of the run.
    by_holder: bool,
    /// How the kinds of the events say that the run ended. They are in the chain, also where bodies are erased.
    ended: Option<Status>,
    /// The newest event says that those before it are erased.
    redacted: bool,
}

impl<'a> Walk<'a> {
    fn new(engine: &'a Engine, upgrades: BTreeMap<Seq, Version>) -> Self {
        let refold = Refold::new(&engine.workflows, upgrades);
        let (told, forked, input) = (None, None, None);
        let (compared, by_holder, ended, redacted) = (false, false, None, false);
        Self { told, refold, compared, forked, input, by_holder, ended, redacted }
    }

    fn take(
        &mut self,
        id: &RunId,
        record: &Record,
        snapshot: Option<&Snapshot>,
    ) -> Result<(), Disproof> {
        let seq = record.seq;
        let impossible = |fault| Disproof::Impossible { seq, fault };
        self.ended = closing(&record.kind).or(self.ended);
        self.redacted = record.kind == "redacted";
        let body = record.body().map_err(|cause| Break::Unreadable { seq, cause })?;
        let Some(body) = body else {
            self.refold.lose(format!("event {seq} is redacted"));
            self.told = None;
            return Ok(());
        };
        match (&mut self.told, &body) {
            (Some(told), body) => told.apply(record, body).map_err(impossible)?,
            (None, Body::Created(created)) if seq == Seq(0) => {
                if created.run != *id {
                    return Err(Break::OtherRun { found: created.run.to_string() }.into());
                }
                self.told = Some(Told::new(created, record.at));
                self.input = Some(created.input.clone());
            }
            (None, _) => {}
        }
        self.by_holder = !body.is_delivered();
        self.refold.take(record, &body).map_err(impossible)?;
        if let Body::Forked(forked) = body {
            self.forked = Some(forked);
        }
        self.compare(seq, snapshot)?;
        self.refold.upgrade(seq);
        Ok(())
    }

    fn compare(&mut self, seq: Seq, snapshot: Option<&Snapshot>) -> Result<(), Disproof> {
        let Some(snapshot) = snapshot.filter(|snapshot| seq == snapshot.seq) else { return Ok(()) };
        if self.refold.is_lost() {
            return Ok(());
        }
        self.compared = true;
        let Ok(run) = self.refold.run() else { return Ok(()) };
        let again = run.snapshot(true);
        let kept = Hash::of(snapshot.state.as_str().as_bytes());
        let same = again.is_some_and(|again| {
            again.digest == snapshot.digest
                && kept == snapshot.digest
                && again.head == snapshot.head
        });
        if same { Ok(()) } else { Err(Disproof::State { seq }) }
    }

    /// A label is as of the last step of the run's holder: what was delivered since may have changed it.
    fn check_label(&mut self, row: &Row) -> Result<(), Disproof> {
        let (Some(kept), true) = (&row.label, self.by_holder) else { return Ok(()) };
        let Ok(run) = self.refold.run() else { return Ok(()) };
        let told = run.label().unwrap_or_else(|| "none".to_owned());
        if told == *kept {
            return Ok(());
        }
        Err(Disproof::Table { field: "the label".to_owned(), kept: kept.clone(), told })
    }

    /// A row says that its run is redacted, and how that ended, as the kinds of its events do.
    fn check_redaction(&self, row: &Row) -> Result<(), Disproof> {
        let word = |redacted: bool| if redacted { "redacted" } else { "not redacted" }.to_owned();
        let (kept, told) = (word(row.redacted), word(self.redacted));
        if kept != told {
            return Err(Disproof::Status { kept, told });
        }
        if self.redacted && self.ended != Some(row.status) {
            let told = self.ended.map_or("not over".to_owned(), |told| told.to_string());
            return Err(Disproof::Status { kept: row.status.to_string(), told });
        }
        Ok(())
    }

    fn conclude(
        mut self,
        chain: &Chain,
        missing: Option<Hash>,
        row: &Row,
        inbox: &[Interaction],
        snapshot: Option<&Snapshot>,
    ) -> Result<Walked, Disproof> {
        let Some((seq, head)) = chain.head() else { return Err(Break::Empty.into()) };
        if seq != row.seq {
            return Err(Break::Cut { expected: row.seq, found: seq }.into());
        }
        if head != row.head {
            return Err(Break::Head { expected: row.head, found: head }.into());
        }
        if let Some(expected) = missing {
            return Err(Break::Rewritten { expected }.into());
        }
        if let Some(told) = &self.told {
            let (closed, kept) = (told.closed(), row.status.is_closed().then_some(row.status));
            if closed != kept {
                let told = closed.map_or("not over".to_owned(), |told| told.to_string());
                return Err(Disproof::Status { kept: row.status.to_string(), told });
            }
            told.check(row, inbox)?;
        }
        self.check_redaction(row)?;
        if !self.refold.is_lost() && !self.compared {
            let seq = snapshot.map_or(row.seq, |snapshot| snapshot.seq);
            return Err(Disproof::State { seq });
        }
        self.check_label(row)?;
        let state = self.refold.run().map(|_| ());
        let proof = Proof { events: seq.0 + 1, head, state, parents: Vec::new() };
        Ok(Walked { proof, forked: self.forked, input: self.input })
    }
}

/// How an event of this kind ends its run.
fn closing(kind: &str) -> Option<Status> {
    match kind {
        "succeeded" => Some(Status::Succeeded),
        "failed" => Some(Status::Failed),
        "cancelled" => Some(Status::Cancelled),
        _ => None,
    }
}

/// A journal that holds by itself.
struct Walked {
    proof: Proof,
    forked: Option<Forked>,
    /// What the run was given, where another run says how that began.
    input: Option<Data>,
}
