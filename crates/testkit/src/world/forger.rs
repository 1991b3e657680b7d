//! A store whose contents were tampered with: readers see what the test wants them to see.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use consign_engine::{
    Data, RunId, Status,
    journal::Record,
    store::{Row, Snapshot},
};

use super::hooked::Hook;

#[derive(Default)]
pub struct Forger(Mutex<BTreeMap<RunId, Forgery>>);

#[derive(Default)]
struct Forgery {
    journal: Option<Vec<Record>>,
    ends_there: bool,
    status: Option<Status>,
    state: Option<Data>,
}

impl Forger {
    /// Shows another journal. The run's own record of where it ends stays.
    pub fn journal(&self, run: &RunId, journal: Vec<Record>) {
        self.of(run, |forgery| forgery.journal = Some(journal));
    }

    /// Shows another journal, and lets the run end where it ends.
    pub fn whole(&self, run: &RunId, journal: Vec<Record>) {
        self.journal(run, journal);
        self.of(run, |forgery| forgery.ends_there = true);
    }

    /// Shows another status.
    pub fn status(&self, run: &RunId, status: Status) {
        self.of(run, |forgery| forgery.status = Some(status));
    }

    /// Shows another state, with the digest of the true one.
    pub fn state(&self, run: &RunId, state: Data) {
        self.of(run, |forgery| forgery.state = Some(state));
    }

    fn of(&self, run: &RunId, change: impl FnOnce(&mut Forgery)) {
        change(self.forgeries().entry(run.clone()).or_default());
    }

    fn forgeries(&self) -> MutexGuard<'_, BTreeMap<RunId, Forgery>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Hook for Forger {
    fn forged_journal(&self, run: &RunId) -> Option<Vec<Record>> {
        self.forgeries().get(run)?.journal.clone()
    }

    fn forge_row(&self, row: &mut Row) {
        let forgeries = self.forgeries();
        let Some(forgery) = forgeries.get(&row.id) else { return };
        row.status = forgery.status.unwrap_or(row.status);
        let last = forgery.journal.as_ref().and_then(|journal| journal.last());
        if let Some(last) = last.filter(|_| forgery.ends_there) {
            (row.seq, row.head, row.at) = (last.seq, last.hash, last.at);
        }
    }

    fn forge_state(&self, run: &RunId, snapshot: &mut Snapshot) {
        let state = self.forgeries().get(run).and_then(|forgery| forgery.state.clone());
        if let Some(state) = state {
            snapshot.state = state;
        }
    }
}
