//! Runs, steps and deliveries as a test writes them, without a workflow behind them.
//!
//! A [`Draft`] starts from what the store last said of a run, and chains its events to that:
//!
//! ```ignore
//! let step = Draft::after(&row).completes("draft", "\"Dear Ada\"").reserves(5).parked();
//! store.commit(step.by(&claim_of(&row))).await?;
//! ```
//!
//! Instants and salts are fixed, so that the same draft always has the same hash.

use std::time::Duration;

use consign_engine::{
    Actor, AskKind, At, Bound, Certificate, Data, Key, Limits, Nanos, Owner, Placement, RunId, Seq,
    Settings, Status, Version, WorkerId,
    journal::{
        Advised, Answered, AskExpired, AskWithdrawn, Asked, Body, CallCompleted, CancelRequested,
        Created, Hash, Paid, Raised, Record, Redacted, Salt,
    },
    store::{
        AskChange, AskState, Claim, Commit, Delivery, Erasure, Figures, First, Interaction, Ledger,
        NewRun, Row, Snapshot, Standing, Step,
    },
};

/// When the first run is made, unless a test says otherwise.
pub const DAWN: At = At(1_800_000_000_000_000);

/// The workflow of runs that have no other.
pub const WORKFLOW: &str = "letters";

/// A run that anybody may go on with.
#[must_use]
pub fn new_run(id: impl Into<RunId>) -> NewRun {
    NewRun {
        id: id.into(),
        workflow: WORKFLOW.to_owned(),
        version: 1,
        owner: Owner::new("ada"),
        placement: Placement::Anywhere,
        priority: 0,
        keeper: None,
    }
}

/// The proof that whoever holds the run holds it.
#[must_use]
pub fn claim_of(row: &Row) -> Claim {
    let worker = row.worker.clone().expect("a test takes the claim of a run that is held");
    Claim { run: row.id.clone(), worker, epoch: row.epoch }
}

/// JSON text that a test wrote.
#[must_use]
pub fn json(text: impl Into<String>) -> Data {
    Data::parse(text).expect("a test writes JSON")
}

/// A step in the making. Its events follow each other by a microsecond.
#[derive(Clone, Debug)]
pub struct Draft {
    run: RunId,
    /// The newest event before it, unless it is the first step.
    seen: Option<Seq>,
    /// The newest event, those of the draft included.
    last: Option<(Seq, Hash)>,
    at: At,
    step: Step,
}

impl Draft {
    /// The first step of a run: its creation, with a snapshot of it.
    #[must_use]
    pub fn first(run: &NewRun, at: At) -> Self {
        let limits = Limits::default();
        let created = Created {
            run: run.id.clone(),
            workflow: run.workflow.clone(),
            version: run.version,
            owner: run.owner.clone(),
            placement: run.placement.clone(),
            input: Data::null(),
            certificate: Certificate::new(&Bound::default(), &limits),
            limits,
            settings: Settings::default(),
        };
        let draft = Self { run: run.id.clone(), seen: None, last: None, at, step: empty() };
        draft.event(created).snapshot(r#"{"new":true}"#)
    }

    /// The next step of a run. It changes nothing yet.
    #[must_use]
    pub fn after(row: &Row) -> Self {
        let step = Step { figures: row.figures, ..empty() };
        let last = Some((row.seq, row.head));
        let at = row.at + Duration::from_micros(1);
        Self { run: row.id.clone(), seen: Some(row.seq), last, at, step }
    }

    /// Its next event happens then.
    #[must_use]
    pub fn at(mut self, at: At) -> Self {
        self.at = at;
        self
    }

    #[must_use]
    pub fn event(mut self, body: impl Into<Body>) -> Self {
        let record = chained(self.last, self.at, "engine", &body.into());
        self.last = Some((record.seq, record.hash));
        self.at = record.at + Duration::from_micros(1);
        self.step.records.push(record);
        self
    }

    /// A call ended with this output, in JSON.
    #[must_use]
    pub fn completes(self, key: &str, output: impl Into<String>) -> Self {
        let (key, output) = (Key::from(key), json(output));
        self.event(CallCompleted {
            key,
            attempt: 1,
            output,
            paid: Paid::default(),
            probed: false,
            used: None,
        })
    }

    #[must_use]
    pub fn asks(self, key: &str, kind: AskKind) -> Self {
        let ask = Interaction {
            run: self.run.clone(),
            key: key.into(),
            kind,
            code: None,
            agent: None,
            prompt: format!("Is {key} right?"),
            schema: json(r#"{"type":"boolean"}"#),
            deadline: None,
            default: None,
            opened_at: self.at,
            state: AskState::Open,
            answered: None,
        };
        self.opens(ask)
    }

    /// Asks exactly so.
    #[must_use]
    pub fn opens(self, ask: Interaction) -> Self {
        let asked = Asked {
            key: ask.key.clone(),
            kind: ask.kind,
            prompt: ask.prompt.clone(),
            schema: ask.schema.clone(),
            deadline: ask.deadline,
            default: ask.default.clone(),
            about: None,
            agent: ask.agent.clone(),
        };
        self.event(asked).changes(AskChange::Open(ask))
    }

    /// The deadline takes an ask.
    #[must_use]
    pub fn expires(self, key: &str) -> Self {
        self.event(AskExpired { key: key.into() }).changes(AskChange::Expire(key.into()))
    }

    #[must_use]
    pub fn withdraws(self, key: &str) -> Self {
        self.event(AskWithdrawn { key: key.into() }).changes(AskChange::Withdraw(key.into()))
    }

    fn changes(mut self, change: AskChange) -> Self {
        self.step.asks.push(change);
        self
    }

    #[must_use]
    pub fn reserves(mut self, nanos: u64) -> Self {
        self.step.ledger.reserve = Nanos::new(nanos);
        self
    }

    #[must_use]
    pub fn releases(mut self, nanos: u64) -> Self {
        self.step.ledger.release = Nanos::new(nanos);
        self
    }

    #[must_use]
    pub fn spends(mut self, nanos: u64) -> Self {
        self.step.ledger.spend = Nanos::new(nanos);
        self
    }

    #[must_use]
    pub fn unmetered(mut self) -> Self {
        self.step.ledger.unmetered = true;
        self
    }

    #[must_use]
    pub fn upgrades(mut self, to: Version) -> Self {
        self.step.upgraded = Some(to);
        self
    }

    #[must_use]
    pub fn figures(mut self, figures: Figures) -> Self {
        self.step.figures = figures;
        self
    }

    #[must_use]
    pub fn labelled(mut self, label: Option<&str>) -> Self {
        self.step.label = Some(label.map(str::to_owned));
        self
    }

    /// The state at the newest event, in JSON.
    #[must_use]
    pub fn snapshot(mut self, state: impl Into<String>) -> Self {
        let (seq, head) = self.last.expect("there is no state before the first event");
        let state = json(state);
        let digest = Hash::of(state.as_str().as_bytes());
        self.step.snapshot = Some(Snapshot { seq, head, digest, state });
        self
    }

    /// Its run waits for a delivery.
    #[must_use]
    pub fn parked(self) -> Self {
        self.stands(Standing::Parked { wake_at: None })
    }

    /// Its run waits for a delivery or this instant.
    #[must_use]
    pub fn parked_until(self, instant: At) -> Self {
        self.stands(Standing::Parked { wake_at: Some(instant) })
    }

    #[must_use]
    pub fn queued(self) -> Self {
        self.stands(Standing::Queued)
    }

    #[must_use]
    pub fn closed(self, status: Status) -> Self {
        self.stands(Standing::Closed(status))
    }

    #[must_use]
    pub fn stands(mut self, standing: Standing) -> Self {
        self.step.standing = standing;
        self
    }

    /// As the step of whoever has this claim.
    #[must_use]
    pub fn by(self, claim: &Claim) -> Commit {
        let seen = self.seen.expect("the first step of a run is no commit");
        Commit { claim: claim.clone(), seen, step: self.step }
    }

    /// As the first step of a run that is held from the start.
    #[must_use]
    pub fn held_by(self, worker: impl Into<WorkerId>) -> First {
        First { claim: Some(worker.into()), step: self.step }
    }

    /// As the first step of a run that nobody holds: queued, unless it was said otherwise.
    #[must_use]
    pub fn unclaimed(mut self) -> First {
        if self.step.standing == Standing::Held {
            self.step.standing = Standing::Queued;
        }
        First { claim: None, step: self.step }
    }
}

/// Advice from outside.
#[must_use]
pub fn advice(row: &Row, text: &str) -> Delivery {
    delivery(row, Advised { text: text.to_owned() })
}

#[must_use]
pub fn answer(row: &Row, key: &str, value: &str) -> Delivery {
    let answered = Answered { key: key.into(), value: json(value), by_default: false, role: None };
    Delivery { answers: Some(key.into()), ..delivery(row, answered) }
}

/// A new cap for the run.
#[must_use]
pub fn raise(row: &Row, nanos: u64) -> Delivery {
    let cap = Some(Nanos::new(nanos));
    let limits = Limits { cost: cap, ..Limits::default() };
    Delivery { cap, ..delivery(row, Raised { limits }) }
}

#[must_use]
pub fn cancellation(row: &Row) -> Delivery {
    delivery(row, CancelRequested { reason: None })
}

/// The wish to erase what the run has said.
#[must_use]
pub fn erasure(row: &Row) -> Erasure {
    let Delivery { run, seen, record, .. } = delivery(row, Redacted {});
    Erasure { run, seen, record }
}

fn delivery(row: &Row, body: impl Into<Body>) -> Delivery {
    let at = row.at + Duration::from_micros(1);
    let record = chained(Some((row.seq, row.head)), at, "ada", &body.into());
    Delivery { run: row.id.clone(), seen: row.seq, record, answers: None, cap: None }
}

fn chained(last: Option<(Seq, Hash)>, at: At, actor: &str, body: &Body) -> Record {
    let seq = last.map_or(Seq(0), |(seq, _)| seq.next());
    let salt = Salt([seq.0.to_le_bytes()[0]; 16]);
    Record::new(seq, at, Actor::from(actor), body, salt, last.map(|(_, head)| head))
}

fn empty() -> Step {
    Step {
        records: Vec::new(),
        standing: Standing::Held,
        figures: Figures::default(),
        ledger: Ledger::default(),
        asks: Vec::new(),
        snapshot: None,
        upgraded: None,
        label: None,
    }
}
