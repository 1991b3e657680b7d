//! Creates a run with its first step.

use std::sync::Arc;

use consign_engine::{
    At, Status,
    journal::Record,
    store::{Error, First, NewRun, Standing},
};
use rusqlite::params;

use super::{WriteOutcome, inbox, ledger, step};
use crate::sqlite::{
    fail::Halt,
    large::Names,
    sql::int,
    writer::{RunKey, Write, WriteContext},
};

pub(crate) struct Create {
    pub(crate) made: Arc<(NewRun, First)>,
    pub(crate) names: Names,
}

impl Write for Create {
    type Answer = WriteOutcome;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<WriteOutcome, Halt> {
        let (run, first) = &*self.made;
        let there = "SELECT 1 FROM runs WHERE id = ?1";
        if context.db.prepare_cached(there)?.exists([run.id.as_str()])? {
            return Err(Error::Exists(run.id.clone()).into());
        }
        if !self.names.are_there(context.home) {
            return Ok(WriteOutcome::FileGone);
        }
        let account = ledger::settle(context.db, &run.owner, first.step.ledger)??;
        step::check(None, &first.step)?;
        let made = Made::of(run, first)?;

        context.ensure_account(&run.owner)?;
        let key = made.insert(context)?;
        let step = &first.step;
        step::insert_records(context.db, key, &step.records, &self.names)?;
        if let Some(snapshot) = &step.snapshot {
            step::replace_snapshot(context.db, key, snapshot, &self.names)?;
        }
        if let Some(account) = account {
            ledger::keep(context.db, &run.owner, &account)?;
        }
        for change in &step.asks {
            inbox::change(context.db, key, change)?;
        }
        if made.status.is_closed() {
            inbox::withdraw_all(context.db, key)?;
        } else {
            context.remember(run.id.clone(), RunKey { key, owner: run.owner.clone() });
        }
        if made.status == Status::Queued {
            context.wake_workers();
        }
        Ok(WriteOutcome::Done)
    }
}

/// What the first step leaves in the run's row.
struct Made<'a> {
    run: &'a NewRun,
    first: &'a First,
    created: &'a Record,
    newest: &'a Record,
    status: Status,
    wake_at: Option<At>,
}

impl<'a> Made<'a> {
    fn of(run: &'a NewRun, first: &'a First) -> Result<Self, Error> {
        let (Some(created), Some(newest)) = (first.step.records.first(), first.step.records.last())
        else {
            return Err(Error::Damaged("a run begins with an event".into()));
        };
        let (status, wake_at) = match (first.step.standing, &first.claim) {
            (Standing::Held, Some(_)) => (Status::Running, None),
            (Standing::Held, None) | (Standing::Queued, _) => (Status::Queued, None),
            (Standing::Parked { wake_at }, _) => (Status::Waiting, wake_at),
            (Standing::Closed(status), _) => (status, None),
        };
        Ok(Self { run, first, created, newest, status, wake_at })
    }

    fn insert(&self, context: &WriteContext<'_>) -> rusqlite::Result<i64> {
        let Self { run, first, created, newest, status, wake_at } = self;
        let figures = first.step.figures;
        let holder = first.claim.as_ref().filter(|_| *status == Status::Running);
        let sql = "INSERT INTO runs (id, workflow, version, owner, placement, priority, status, \
                   seq, head, at, created_at, epoch, worker, wake_at, spent, reserved, cap, label, \
                   keeper) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, \
                   ?15, ?16, ?17, ?18, ?19)";
        context.db.prepare_cached(sql)?.execute(params![
            run.id.as_str(),
            run.workflow,
            run.version,
            run.owner.as_str(),
            run.placement.to_string(),
            run.priority,
            status.as_str(),
            int(newest.seq.0),
            &newest.hash.0[..],
            newest.at.0,
            created.at.0,
            i64::from(first.claim.is_some()),
            holder.map(|worker| worker.as_str()),
            wake_at.map(|at| at.0),
            int(figures.spent.get()),
            int(figures.reserved.get()),
            figures.cap.map(|cap| int(cap.get())),
            first.step.label.clone().flatten(),
            run.keeper.as_ref().map(|keeper| keeper.as_str()),
        ])?;
        Ok(context.db.last_insert_rowid())
    }
}
