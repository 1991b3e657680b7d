//! What a request can use while it writes: the transaction, the folder, and cached lookups.

use std::collections::{HashMap, HashSet};

use consign_engine::{Owner, RunId, store::Error};
use rusqlite::{Connection, OptionalExtension, params};

use crate::sqlite::{fail::Halt, store_folder::StoreFolder};

pub(crate) struct WriteContext<'a> {
    /// The connection, in a transaction.
    pub(crate) db: &'a Connection,
    pub(crate) home: &'a StoreFolder,
    pub(super) known: &'a mut Known,
    pub(super) wake: bool,
    /// How many transactions were committed here.
    pub(super) committed: u64,
}

/// A run's key in the tables, and its owner.
#[derive(Clone, Debug)]
pub(crate) struct RunKey {
    pub(crate) key: i64,
    pub(crate) owner: Owner,
}

/// Cached lookups. They must be forgotten when a transaction is rolled back, because it may have
/// made the rows.
#[derive(Default)]
pub(super) struct Known {
    runs: HashMap<RunId, RunKey>,
    owners: HashSet<Owner>,
}

/// How many entries each cache keeps. A full cache is emptied: the live ones are soon back.
const MOST: usize = 16_384;

impl<'a> WriteContext<'a> {
    pub(super) fn at(db: &'a Connection, home: &'a StoreFolder, known: &'a mut Known) -> Self {
        Self { db, home, known, wake: false, committed: 0 }
    }

    pub(crate) fn run(&mut self, id: &RunId) -> Result<RunKey, Halt> {
        if let Some(run) = self.known.runs.get(id) {
            return Ok(run.clone());
        }
        let mut find = self.db.prepare_cached("SELECT key, owner FROM runs WHERE id = ?1")?;
        let found = find.query_row([id.as_str()], |row| {
            Ok(RunKey { key: row.get(0)?, owner: row.get::<_, String>(1)?.into() })
        });
        let run = found.optional()?.ok_or_else(|| Error::NotFound(id.clone()))?;
        self.remember(id.clone(), run.clone());
        Ok(run)
    }

    pub(crate) fn remember(&mut self, id: RunId, run: RunKey) {
        if self.known.runs.len() >= MOST {
            self.known.runs.clear();
        }
        self.known.runs.insert(id, run);
    }

    /// Drops a run from the cache: nothing more will be written to it.
    pub(crate) fn forget(&mut self, id: &RunId) {
        self.known.runs.remove(id);
    }

    /// Creates an account for an owner who has none.
    pub(crate) fn ensure_account(&mut self, owner: &Owner) -> Result<(), Halt> {
        if self.known.owners.contains(owner) {
            return Ok(());
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|cause| {
            Error::Unavailable(format!("the system gave no random numbers: {cause}"))
        })?;
        let sql = "INSERT INTO owners (name, secret) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        self.db.prepare_cached(sql)?.execute(params![owner.as_str(), &secret[..]])?;
        if self.known.owners.len() >= MOST {
            self.known.owners.clear();
        }
        self.known.owners.insert(owner.clone());
        Ok(())
    }

    /// Asks to wake the workers: a run was queued, or its holder has something to read.
    pub(crate) fn wake_workers(&mut self) {
        self.wake = true;
    }
}

impl Known {
    pub(super) fn forget_all(&mut self) {
        *self = Self::default();
    }
}
