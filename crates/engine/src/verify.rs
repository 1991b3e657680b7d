//! Proving a run: its chain is walked from the first event, its state folded again, and what is kept
//! beside the journal compared with what the events say. Likewise an owner's account, with the runs
//! that it is the sum of.

mod tables;

use std::collections::BTreeMap;

use self::tables::Told;
use crate::{
    Engine, Error, Fault, Nanos, Owner, RunId, Seq, Version,
    frame::Frame,
    journal::{Body, Break, Chain, Created, Hash, Record},
    run::Run,
    store::{self, InboxQuery, Interaction, Loaded, RunQuery, Snapshot},
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
}

impl Engine {
    /// Checks every link of a run's journal, that nothing is missing at its end, that a head kept
    /// elsewhere is one of its events, that its state is what the events come to, and that its row
    /// and its open asks are what the events say. What no event says is not proven: priority, holder,
    /// and when a waiting run is woken.
    pub async fn verify(
        &self,
        run: &RunId,
        head: Option<Hash>,
    ) -> Result<Result<Proof, Disproof>, Error> {
        loop {
            let (loaded, inbox) = match self.kept(run).await {
                Err(store::Error::Damaged(why)) => return Ok(Err(Disproof::Damaged(why))),
                kept => kept?,
            };
            let checked = self.check(run, head, &loaded, &inbox).await?;
            // A run that moves on while it is read is read again; one that stands still is judged.
            if checked.is_ok() || self.store.row(run).await?.seq == loaded.row.seq {
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
    async fn kept(&self, run: &RunId) -> Result<(Loaded, Vec<Interaction>), store::Error> {
        let query =
            InboxQuery { run: Some(run.clone()), most: usize::MAX, ..InboxQuery::default() };
        loop {
            let before = self.store.row(run).await?.seq;
            let inbox = self.store.inbox(&query).await?;
            let loaded = self.store.load(run).await?;
            // Asks come and go with events: where none is new, they are still the same.
            if loaded.row.seq == before {
                return Ok((loaded, inbox));
            }
        }
    }

    async fn check(
        &self,
        run: &RunId,
        head: Option<Hash>,
        Loaded { row, snapshot, .. }: &Loaded,
        inbox: &[Interaction],
    ) -> Result<Result<Proof, Disproof>, Error> {
        let mut chain = Chain::default();
        let mut known = head.is_none();
        let mut refold = Refold::new(self, self.upgrades(run, row.seq).await?);
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
                if let Err(disproof) = refold.take(run, record, snapshot) {
                    return Ok(Err(disproof));
                }
            }
        }
        let missing = head.filter(|_| !known);
        Ok(refold.conclude(&chain, missing, row, inbox, snapshot.seq))
    }

    /// Where newer versions of the workflow took over: they count from before the event says so.
    async fn upgrades(&self, run: &RunId, newest: Seq) -> Result<BTreeMap<Seq, Version>, Error> {
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
    fn add(&mut self, row: &store::Row) {
        self.spent = self.spent + row.figures.spent;
        self.reserved = self.reserved + row.figures.reserved;
        self.runs += 1;
        self.events = self.events.saturating_add(row.seq.0);
    }
}

/// Folds a journal again, as far as it can be read and its workflow is here.
struct Refold<'a> {
    engine: &'a Engine,
    upgrades: BTreeMap<Seq, Version>,
    /// None before the first event, and once an event cannot be read.
    told: Option<Told>,
    run: Option<Run>,
    /// Why the state cannot be told.
    blind: Option<String>,
    compared: bool,
}

impl<'a> Refold<'a> {
    fn new(engine: &'a Engine, upgrades: BTreeMap<Seq, Version>) -> Self {
        Self { engine, upgrades, told: None, run: None, blind: None, compared: false }
    }

    fn take(&mut self, id: &RunId, record: &Record, snapshot: &Snapshot) -> Result<(), Disproof> {
        let seq = record.seq;
        let impossible = |fault| Disproof::Impossible { seq, fault };
        let body = record.body().map_err(|cause| Break::Unreadable { seq, cause })?;
        let Some(body) = body else {
            self.blind.get_or_insert(format!("event {seq} is redacted"));
            self.told = None;
            return Ok(());
        };
        match (&mut self.told, &body) {
            (Some(told), body) => {
                told.apply(record, body).map_err(impossible)?;
                if let (None, Some(run)) = (&self.blind, &mut self.run) {
                    run.apply(record.at, &record.actor, body).map_err(impossible)?;
                    (run.seq, run.head) = (record.seq, record.hash);
                }
            }
            (None, _) if self.blind.is_some() => {}
            (None, Body::Created(created)) => {
                if created.run != *id {
                    return Err(Break::OtherRun { found: created.run.to_string() }.into());
                }
                self.told = Some(Told::new(created, record.at));
                self.start(created, record);
            }
            (None, _) => {
                let fault = Fault::permanent("JOURNAL_INVALID", "a journal begins with `created`");
                return Err(impossible(fault));
            }
        }
        if self.blind.is_none() {
            self.compare(seq, snapshot)?;
            self.upgrade(seq);
        }
        Ok(())
    }

    fn start(&mut self, created: &Created, record: &Record) {
        let (name, version) = (&created.workflow, created.version);
        let template = self.engine.workflows.version(name, version);
        match template.map(|template| template.start(&created.input)) {
            Some(Ok(program)) => {
                let frame = Frame::new(created, record.at);
                self.run = Some(Run::new(created.run.clone(), frame, program, record));
            }
            Some(Err(fault)) => self.blind = Some(fault.to_string()),
            None => self.blind = Some(format!("{name} {version} is not here")),
        }
    }

    fn compare(&mut self, seq: Seq, snapshot: &Snapshot) -> Result<(), Disproof> {
        let Some(run) = &mut self.run else { return Ok(()) };
        if let Err(fault) = &run.program {
            self.blind = Some(fault.to_string());
            return Ok(());
        }
        if seq != snapshot.seq {
            return Ok(());
        }
        self.compared = true;
        let again = run.snapshot(true);
        let kept = Hash::of(snapshot.state.as_str().as_bytes());
        let same = again.is_some_and(|again| {
            again.digest == snapshot.digest
                && kept == snapshot.digest
                && again.head == snapshot.head
        });
        if same { Ok(()) } else { Err(Disproof::State { seq }) }
    }

    fn upgrade(&mut self, seq: Seq) {
        let (Some(run), Some(to)) = (&mut self.run, self.upgrades.get(&seq)) else { return };
        let Ok(program) = &run.program else { return };
        let name = &run.frame.workflow;
        match self.engine.workflows.version(name, *to) {
            Some(template) => run.program = template.restore(program.version(), &program.state()),
            None => self.blind = Some(format!("{name} {to} is not here")),
        }
    }

    fn conclude(
        self,
        chain: &Chain,
        missing: Option<Hash>,
        row: &store::Row,
        inbox: &[Interaction],
        snapshot: Seq,
    ) -> Result<Proof, Disproof> {
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
        if self.blind.is_none() && !self.compared {
            return Err(Disproof::State { seq: snapshot });
        }
        Ok(Proof { events: seq.0 + 1, head, state: self.blind.map_or(Ok(()), Err) })
    }
}
