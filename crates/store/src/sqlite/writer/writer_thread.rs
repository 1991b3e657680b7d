//! The loop of the writer thread: batch after batch, each in one transaction.
//!
//! A batch that fails is rolled back and its requests are tried one by one. After a commit whose
//! outcome is unknown nothing more is written.

use std::{
    io, iter,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
};

use consign_engine::store::Error;
use rusqlite::Connection;
use tracing::error;

use super::{
    Lost,
    request::Request,
    write_context::{Known, WriteContext},
};
use crate::sqlite::{
    change_notifier::ChangeNotifier,
    fail::{Halt, explain, is_failed_sync, lost, may_be_written, of_disk},
    lock::WriteLock,
    schema,
    store_folder::{Identity, StoreFolder},
};

type Batch = Vec<Box<dyn Request>>;

pub(super) struct WriterThread {
    // Its connection closes before the one that writes: the last to close empties the WAL, which
    // one that only reads cannot.
    notifier: Arc<ChangeNotifier>,
    db: Connection,
    lock: WriteLock,
    home: StoreFolder,
    files: Identity,
    lost: Lost,
    known: Known,
    committed: Arc<AtomicU64>,
}

/// The outcome of a transaction that failed.
enum Fate {
    /// It could not begin. None of the requests is the cause.
    NotBegun(Error),
    /// One request, or all together, failed. Nothing was written.
    RolledBack(Error),
    /// It may or may not have been written.
    Lost(Error),
}

/// The largest batch, so that the first request does not wait for all that follow.
const MOST: usize = 1_024;

impl WriterThread {
    pub(super) fn new(
        db: Connection,
        lock: WriteLock,
        home: StoreFolder,
        notifier: Arc<ChangeNotifier>,
        lost: Lost,
    ) -> io::Result<Self> {
        let (files, committed) = (home.identity()?, Arc::default());
        Ok(Self { db, lock, home, files, notifier, lost, known: Known::default(), committed })
    }

    /// Counts the transactions that it commits.
    pub(super) fn counter(&self) -> Arc<AtomicU64> {
        self.committed.clone()
    }

    /// Works until all senders are gone and everything that was posted is done.
    pub(super) fn work(mut self, inbox: mpsc::Receiver<Box<dyn Request>>) {
        while let Ok(first) = inbox.recv() {
            // Whoever comes while a batch is written makes the next one. Waiting for more would only
            // hold these up.
            let rest = inbox.try_iter().take(MOST - 1);
            let batch = iter::once(first).chain(rest).collect();
            self.serve(batch);
        }
    }

    fn serve(&mut self, mut batch: Batch) {
        let fates = match self.lost.get() {
            Some(error) => vec![Err(error.clone()); batch.len()],
            None => self.in_turn(&mut batch),
        };
        for (request, fate) in batch.into_iter().zip(fates) {
            request.reply(fate);
        }
    }

    /// Writes a batch under the write lock. Returns one outcome for each request.
    fn in_turn(&mut self, batch: &mut Batch) -> Vec<Result<(), Error>> {
        let held = match self.lock.hold() {
            Ok(held) => held,
            Err(error) => {
                return vec![Err(of_disk("take the write lock", &error)); batch.len()];
            }
        };
        if let Err(fate) = self.is_ours() {
            return vec![settle(Err(fate), &self.lost); batch.len()];
        }
        let mut context = WriteContext::at(&self.db, &self.home, &mut self.known);
        let together = transact(&mut context, batch);
        let fates = match together {
            Err(Fate::RolledBack(_)) if batch.len() > 1 => {
                let each = batch.chunks_mut(1);
                each.map(|alone| match self.lost.get() {
                    Some(error) => Err(error.clone()),
                    None => settle(transact(&mut context, alone), &self.lost),
                })
                .collect()
            }
            Ok(()) | Err(_) => vec![settle(together, &self.lost); batch.len()],
        };
        let WriteContext { wake, committed, .. } = context;
        drop(held);
        self.committed.fetch_add(committed, Ordering::Relaxed);
        if wake {
            self.notifier.ring();
        }
        fates
    }
}

impl WriterThread {
    /// Refuses to write into files that no longer have their names. SQLite would do so without an
    /// error, and what was written could never be found.
    fn is_ours(&self) -> Result<(), Fate> {
        match self.home.identity() {
            Ok(files) if files == self.files => Ok(()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Fate::NotBegun(of_disk("check the database file", &error)))
            }
            Ok(_) | Err(_) => Err(Fate::Lost(Error::Lost(format!(
                "{} was removed or replaced while it was in use",
                self.home.database().display()
            )))),
        }
    }
}

/// Writes all of these in one transaction, or nothing.
fn transact(context: &mut WriteContext<'_>, requests: &mut [Box<dyn Request>]) -> Result<(), Fate> {
    let begun =
        context.db.prepare_cached("BEGIN IMMEDIATE").and_then(|mut begin| begin.execute([]));
    if let Err(error) = begun {
        let told = explain(&error);
        return Err(if is_failed_sync(&error) { Fate::Lost(told) } else { Fate::NotBegun(told) });
    }
    let written = schema::check(context.db).and_then(|()| {
        requests.iter_mut().try_for_each(|request| request.write(context)).map_err(Halt::Sql)
    });
    match written {
        Ok(()) => {}
        Err(Halt::Sql(error)) => return Err(roll_back(context, &error)),
        // Not an answer to a request: another program has changed the tables.
        Err(Halt::Answer(error)) => {
            leave(context);
            return Err(Fate::Lost(error));
        }
    }
    let committed = context.db.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
    match committed {
        Ok(_) => {
            context.committed += 1;
            Ok(())
        }
        Err(error) if may_be_written(&error) => Err(Fate::Lost(lost(&error))),
        Err(error) => Err(roll_back(context, &error)),
    }
}

fn roll_back(context: &mut WriteContext<'_>, cause: &rusqlite::Error) -> Fate {
    leave(context);
    if is_failed_sync(cause) || !context.db.is_autocommit() {
        return Fate::Lost(lost(cause));
    }
    Fate::RolledBack(explain(cause))
}

fn leave(context: &mut WriteContext<'_>) {
    context.known.forget_all();
    // After some errors SQLite has rolled back by itself.
    if !context.db.is_autocommit() {
        let _ = context.db.execute_batch("ROLLBACK");
    }
}

/// The answer for the callers. Once the store is lost, it stays lost.
fn settle(fate: Result<(), Fate>, lost: &Lost) -> Result<(), Error> {
    match fate {
        Ok(()) => Ok(()),
        Err(Fate::NotBegun(error) | Fate::RolledBack(error)) => Err(error),
        Err(Fate::Lost(why)) => {
            let first = || {
                error!(%why, "nothing more is written to the store");
                why
            };
            Err(lost.get_or_init(first).clone())
        }
    }
}

#[cfg(test)]
mod tests;
