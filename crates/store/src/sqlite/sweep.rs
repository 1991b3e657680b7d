//! Removes large values that no row names any more.

use std::{io, time::Duration};

use consign_engine::store::Error;
use rusqlite::Connection;

use super::{
    fail::{Halt, of_disk},
    lock::WriteLock,
    schema,
    store::SqliteStore,
};
use crate::blobs::{Name, Stale};

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    pub removed: usize,
    /// Old files that a row still names.
    pub kept: usize,
}

/// How many files are looked at in one turn at the write lock.
const TURN: usize = 256;

impl SqliteStore {
    /// Removes files that no row names and that have not been put for `grace`.
    ///
    /// It has the write lock while it checks and removes, with a view of everything that is
    /// committed. A row that is written later finds its file gone, and has it put again.
    pub async fn sweep(&self, grace: Duration) -> Result<Swept, Error> {
        self.writer()?;
        let blobs = self.blobs.clone();
        let stale = self.in_background(move || blobs.stale(grace).map_err(unswept));
        self.sweep_these(stale.await?, grace).await
    }

    /// Removes complete files that no row names, however young they are. One that is about to be named is put again;
    /// drafts, which could not be, are left alone.
    pub(super) async fn sweep_complete(&self) -> Result<Swept, Error> {
        let (blobs, grace) = (self.blobs.clone(), Duration::ZERO);
        let stale = self.in_background(move || blobs.stale(grace).map_err(unswept));
        let mut stale = stale.await?;
        stale.retain(|file| file.name.is_some());
        self.sweep_these(stale, grace).await
    }

    async fn sweep_these(&self, mut stale: Vec<Stale>, grace: Duration) -> Result<Swept, Error> {
        let mut swept = Swept::default();
        while !stale.is_empty() {
            let turn = stale.split_off(stale.len().saturating_sub(TURN));
            let path = self.home.write_lock();
            let done = self.pool.read(move |db| {
                let lock = WriteLock::open(&path).map_err(unswept)?;
                // The view of a transaction is that of its first look, which comes after this.
                let _held = lock.hold().map_err(unswept)?;
                // A newer one may name files in tables that this one does not know.
                schema::check(db)?;
                sweep(db, &turn, grace)
            });
            let done = done.await?;
            swept.removed += done.removed;
            swept.kept += done.kept;
        }
        Ok(swept)
    }
}

pub(super) fn unswept(error: io::Error) -> Error {
    of_disk("remove unused large values", &error)
}

fn sweep(db: &Connection, stale: &[Stale], grace: Duration) -> Result<Swept, Halt> {
    let mut swept = Swept::default();
    for file in stale {
        let named = match &file.name {
            Some(name) => is_named(db, name)?,
            None => false,
        };
        if named || !file.is_stale(grace) {
            swept.kept += 1;
        } else {
            file.remove().map_err(unswept)?;
            swept.removed += 1;
        }
    }
    Ok(swept)
}

pub(super) fn is_named(db: &Connection, name: &Name) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM journal WHERE blob = ?1) \
               OR EXISTS (SELECT 1 FROM snapshots WHERE blob = ?1)";
    db.prepare_cached(sql)?.query_row([name.as_bytes()], |row| row.get(0))
}
