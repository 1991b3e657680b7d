//! Proving a run: its chain is walked from the first event, and its state folded again.

use std::collections::BTreeMap;

use crate::{
    Engine, Error, Fault, RunId, Seq, Version,
    frame::Frame,
    journal::{Body, Break, Chain, Hash, Record},
    run::Run,
    store::{self, Snapshot},
};

/// Events that are read at a time.
const PAGE: usize = 1000;

/// What was proven of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    pub events: u64,
    pub head: Hash,
    /// Whether the state was folded again and is the one that is kept; else why not.
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
    #[error("{0}")]
    Damaged(String),
    #[error("event {seq} cannot follow from those before it: {fault}")]
    Impossible { seq: Seq, fault: Fault },
}

impl Engine {
    /// Checks every link of a run's journal, that nothing is missing at its end, that a head kept
    /// elsewhere is one of its events, and that its state is what the events come to.
    pub async fn verify(
        &self,
        run: &RunId,
        head: Option<Hash>,
    ) -> Result<Result<Proof, Disproof>, Error> {
        loop {
            let loaded = match self.store.load(run).await {
                Err(store::Error::Damaged(why)) => return Ok(Err(Disproof::Damaged(why))),
                loaded => loaded?,
            };
            let checked = self.check(run, head, &loaded.row, &loaded.snapshot).await?;
            // A run that moves on while it is read is read again; one that stands still is judged.
            if checked.is_ok() || self.store.row(run).await?.seq == loaded.row.seq {
                return Ok(checked);
            }
        }
    }

    async fn check(
        &self,
        run: &RunId,
        head: Option<Hash>,
        row: &store::Row,
        snapshot: &Snapshot,
    ) -> Result<Result<Proof, Disproof>, Error> {
        let mut chain = Chain::default();
        let mut known = head.is_none();
        let mut refold = Refold::new(self, self.upgrades(run, row.seq).await?);
        let mut from = Seq(0);
        while from <= row.seq {
            let page = match self.store.events(run, from, PAGE).await {
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
        Ok(refold.conclude(&chain, row, snapshot.seq, head.filter(|_| !known)))
    }

    /// Where newer versions of the workflow took over: they count from before the event says so.
    async fn upgrades(&self, run: &RunId, newest: Seq) -> Result<BTreeMap<Seq, Version>, Error> {
        let mut upgrades = BTreeMap::new();
        let mut from = Seq(0);
        while from <= newest {
            let Ok(page) = self.store.events(run, from, PAGE).await else { break };
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

/// Folds a journal again, as far as it can be read and its workflow is here.
struct Refold<'a> {
    engine: &'a Engine,
    upgrades: BTreeMap<Seq, Version>,
    run: Option<Run>,
    /// Why the state cannot be told.
    blind: Option<String>,
    compared: bool,
}

impl<'a> Refold<'a> {
    fn new(engine: &'a Engine, upgrades: BTreeMap<Seq, Version>) -> Self {
        Self { engine, upgrades, run: None, blind: None, compared: false }
    }

    fn take(&mut self, id: &RunId, record: &Record, snapshot: &Snapshot) -> Result<(), Disproof> {
        let seq = record.seq;
        let body = record.body().map_err(|cause| Break::Unreadable { seq, cause })?;
        let Some(body) = body else {
            self.blind.get_or_insert(format!("event {seq} is redacted"));
            return Ok(());
        };
        if self.blind.is_some() {
            return Ok(());
        }
        match (&mut self.run, &body) {
            (None, Body::Created(created)) => {
                if created.run != *id {
                    return Err(Break::OtherRun { found: created.run.to_string() }.into());
                }
                let template = self.engine.workflows.version(&created.workflow, created.version);
                let started = template.map(|template| template.start(&created.input));
                match started {
                    Some(Ok(program)) => {
                        let frame = Frame::new(created, record.at);
                        self.run = Some(Run::new(id.clone(), frame, program, record));
                    }
                    Some(Err(fault)) => self.blind = Some(fault.to_string()),
                    None => {
                        let (name, version) = (&created.workflow, created.version);
                        self.blind = Some(format!("{name} {version} is not here"));
                    }
                }
            }
            (None, _) => {
                let fault = Fault::permanent("JOURNAL_INVALID", "a journal begins with `created`");
                return Err(Disproof::Impossible { seq, fault });
            }
            (Some(run), body) => {
                run.apply(record.at, &record.actor, body)
                    .map_err(|fault| Disproof::Impossible { seq, fault })?;
                (run.seq, run.head) = (record.seq, record.hash);
            }
        }
        self.compare(seq, snapshot)?;
        self.upgrade(seq);
        Ok(())
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
        row: &store::Row,
        snapshot: Seq,
        missing: Option<Hash>,
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
        let state = match (&self.blind, &self.run) {
            (Some(why), _) => Err(why.clone()),
            (None, Some(run)) => {
                let told = run.frame.closed;
                let kept = row.status.is_closed().then_some(row.status);
                if told != kept {
                    let told = told.map_or("not over".to_owned(), |told| told.to_string());
                    return Err(Disproof::Status { kept: row.status.to_string(), told });
                }
                if !self.compared {
                    return Err(Disproof::State { seq: snapshot });
                }
                Ok(())
            }
            (None, None) => Err("there is nothing to fold".to_owned()),
        };
        Ok(Proof { events: seq.0 + 1, head, state })
    }
}
