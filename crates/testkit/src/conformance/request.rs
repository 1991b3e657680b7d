//! Turns a move into a request to the port, with everything that the model knows filled in.

use std::{fmt::Debug, time::Duration};

use consign_engine::{
    At, Epoch, Nanos, Owner, RunId, Seq, WorkerId,
    store::{
        AskState, Claim, Commit, Delivery, Erasure, Error, Figures, First, InboxQuery, NewRun, Row,
        RunQuery, Store, Wanted,
    },
};

use super::moves::{AskMove, Creation, Forgery, Parcel, Question, Stride, What};
use crate::{
    draft::{DAWN, Draft, advice, answer, erasure, new_run, raise},
    memory::MemoryStore,
};

pub(super) enum Request {
    Create(NewRun, First),
    Commit(Commit),
    Deliver(Delivery),
    Claim { worker: WorkerId, wanted: Wanted, most: usize, now: At },
    ClaimRun { worker: WorkerId, run: RunId },
    Reclaim,
    SetCap(Owner, Option<Nanos>),
    Redact(Erasure),
    Runs(RunQuery),
    Events { run: RunId, from: Seq, most: usize },
    Inbox(InboxQuery),
    NextWake(Wanted),
}

impl Request {
    /// None where the port promises nothing: a page after what never was, a step of no run.
    pub(super) fn new(model: &MemoryStore, question: &Question) -> Option<Self> {
        let request = match question.clone() {
            Question::Create(creation) => creation.request(model),
            Question::Step(stride) => stride.request(model)?,
            Question::Deliver(parcel) => Self::Deliver(parcel.delivery(model)?),
            Question::Claim { worker, wanted, most, now } => {
                Self::Claim { worker: worker.into(), wanted, most, now }
            }
            Question::ClaimRun { worker, run } => {
                Self::ClaimRun { worker: worker.into(), run: run.into() }
            }
            Question::Reclaim => Self::Reclaim,
            Question::SetCap { owner, cap } => Self::SetCap(owner.into(), cap.map(Nanos::new)),
            Question::Redact { run, is_stale } => {
                Self::Redact(erasure(&seen(model, &row(model, run)?, is_stale)))
            }
            Question::List { query, before } => {
                let before = before.map(RunId::from);
                let known = |run: &RunId| model.look(|state| state.runs().contains_key(run));
                Self::Runs(RunQuery { before: before.filter(known), ..query })
            }
            Question::Events { run, from, most } => {
                Self::Events { run: run.into(), from: Seq(from), most }
            }
            Question::Inbox { run, owner, answered, after, most } => {
                let after = after.map(|(run, key)| (run.into(), key.into()));
                let after = after.filter(|ask| model.look(|state| state.asks().contains_key(ask)));
                Self::Inbox(InboxQuery {
                    run: run.map(RunId::from),
                    owner: owner.map(Owner::from),
                    answered,
                    after,
                    most,
                    ..InboxQuery::default()
                })
            }
            Question::NextWake(wanted) => Self::NextWake(wanted),
        };
        Some(request)
    }

    /// What a store answers, to the letter.
    pub(super) async fn put(&self, store: &dyn Store) -> String {
        match self {
            Self::Create(run, first) => told(store.create(run.clone(), first.clone()).await),
            Self::Commit(commit) => told(store.commit(commit.clone()).await),
            Self::Deliver(delivery) => told(store.deliver(delivery.clone()).await),
            Self::Claim { worker, wanted, most, now } => {
                told(store.claim(worker, wanted, *most, *now).await.map(|claimed| claimed.runs))
            }
            Self::ClaimRun { worker, run } => told(store.claim_run(worker, run).await),
            Self::Reclaim => told(store.reclaim().await),
            Self::SetCap(owner, cap) => told(store.set_cap(owner, *cap).await),
            Self::Redact(erasure) => told(store.redact(erasure.clone()).await),
            Self::Runs(query) => told(store.runs(query).await),
            Self::Events { run, from, most } => told(store.events(run, *from, *most).await),
            Self::Inbox(query) => told(store.inbox(query).await),
            Self::NextWake(wanted) => told(store.next_wake(wanted).await),
        }
    }
}

fn told<T: Debug>(answer: Result<T, Error>) -> String {
    format!("{answer:#?}")
}

impl Creation {
    /// Each run is a second younger than the one before.
    fn request(self, model: &MemoryStore) -> Request {
        let count = model.look(|state| state.runs().len()) as u64;
        let run = NewRun {
            workflow: self.workflow.to_owned(),
            owner: self.owner.into(),
            placement: self.placement,
            priority: self.priority,
            keeper: self.keeper.map(WorkerId::from),
            ..new_run(self.run)
        };
        let figures = Figures { reserved: Nanos::new(self.reserve), ..Figures::default() };
        let draft = Draft::first(&run, DAWN + Duration::from_secs(count));
        let draft = draft.reserves(self.reserve).figures(figures);
        let first = match self.holder {
            Some(worker) => draft.held_by(worker),
            None => draft.stands(self.standing).unclaimed(),
        };
        Request::Create(run, first)
    }
}

impl Stride {
    fn request(self, model: &MemoryStore) -> Option<Request> {
        let newest = row(model, self.run)?;
        let is_free = newest.worker.is_none() && !newest.status.is_closed();
        if is_free && self.forgery.is_none() {
            return Some(Request::ClaimRun { worker: "w1".into(), run: newest.id });
        }
        Some(Request::Commit(self.commit(model, &newest)))
    }

    fn commit(self, model: &MemoryStore, newest: &Row) -> Commit {
        let mut draft = Draft::after(&seen(model, newest, self.is_stale));
        for output in &self.outputs {
            draft = draft.completes("call", *output);
        }
        draft = self.pay(newest.figures, self.ask(model, draft));
        if self.snapshots {
            draft = draft.snapshot(format!("[{:?}]", self.outputs));
        }
        if let Some(label) = self.label {
            draft = draft.labelled(label);
        }
        draft.stands(self.standing).by(&self.claim(newest))
    }

    fn claim(&self, row: &Row) -> Claim {
        let mut claim = Claim {
            run: row.id.clone(),
            worker: row.worker.clone().unwrap_or_else(|| WorkerId::from("w1")),
            epoch: row.epoch,
        };
        match self.forgery {
            None => {}
            Some(Forgery::OlderEpoch) => claim.epoch = Epoch(row.epoch.0.saturating_sub(1)),
            Some(Forgery::OtherWorker) => claim.worker = WorkerId::from("nobody"),
        }
        claim
    }

    /// Opens what is not open, and ends what is.
    fn ask(&self, model: &MemoryStore, draft: Draft) -> Draft {
        let Some((key, change)) = self.ask else { return draft };
        let ask = (RunId::from(self.run), key.into());
        let state = model.look(|state| state.asks().get(&ask).map(|ask| ask.interaction.state));
        match (change, state == Some(AskState::Open)) {
            (AskMove::Open(kind), false) => draft.asks(key, kind),
            (AskMove::Expire, true) => draft.expires(key),
            (AskMove::Withdraw, true) => draft.withdraws(key),
            (AskMove::Open(_), true) | (AskMove::Expire | AskMove::Withdraw, false) => draft,
        }
    }

    /// Settles what the run has reserved at half its amount, and reserves anew.
    fn pay(&self, figures: Figures, draft: Draft) -> Draft {
        let release = if self.settles { figures.reserved } else { Nanos::ZERO };
        let spend = Nanos::new(release.get() / 2);
        let reserve = Nanos::new(self.reserve);
        let after = Figures {
            spent: figures.spent + spend,
            reserved: figures.reserved.minus(release) + reserve,
            cap: figures.cap,
        };
        let draft = draft.releases(release.get()).spends(spend.get());
        draft.reserves(reserve.get()).figures(after)
    }
}

impl Parcel {
    fn delivery(self, model: &MemoryStore) -> Option<Delivery> {
        let row = seen(model, &row(model, self.run)?, self.is_stale);
        Some(match self.what {
            What::Advice => advice(&row, "be brief"),
            What::Answer(key) => answer(&row, key, "true"),
            What::Raise(nanos) => raise(&row, nanos),
        })
    }
}

fn row(model: &MemoryStore, run: &str) -> Option<Row> {
    model.look(|state| state.runs().get(&RunId::from(run)).map(|run| run.row.clone()))
}

/// The run as it is, or as one sees it who has missed the newest event.
fn seen(model: &MemoryStore, newest: &Row, is_stale: bool) -> Row {
    let before = newest.seq.0.checked_sub(1).filter(|_| is_stale);
    let Some(before) = before else { return newest.clone() };
    model.look(|state| {
        let journal = &state.runs()[&newest.id].journal;
        let record = &journal[usize::try_from(before).expect("journals here are short")];
        Row { seq: record.seq, head: record.hash, at: record.at, ..newest.clone() }
    })
}
