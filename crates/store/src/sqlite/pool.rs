//! A pool of connections for reading.
//!
//! [`Pool::read`] shows what is committed at one moment, and never waits for the writer. Nothing
//! here writes.

use std::sync::{Arc, Mutex, PoisonError};

use consign_engine::store::Error;
use rusqlite::Connection;
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::{
    fail::Halt,
    open::{self, Stamp},
    store_folder::StoreFolder,
};
use crate::blocking_thread::may_wait;

pub(crate) struct Pool {
    home: StoreFolder,
    to_look: bool,
    free: Mutex<Vec<Connection>>,
    turns: Semaphore,
}

impl Pool {
    /// A pool of at most `most` connections, opened as they are needed.
    pub(crate) fn new(home: StoreFolder, most: usize) -> Arc<Self> {
        Self::made(home, most, false)
    }

    /// A pool for a home that cannot be written.
    pub(crate) fn to_look(home: StoreFolder, most: usize) -> Arc<Self> {
        Self::made(home, most, true)
    }

    fn made(home: StoreFolder, most: usize, to_look: bool) -> Arc<Self> {
        let turns = Semaphore::new(most.max(1));
        Arc::new(Self { home, to_look, free: Mutex::default(), turns })
    }

    /// Runs `look` in one read transaction, so that all it sees is from the same moment.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        look: impl FnOnce(&Connection) -> Result<T, Halt> + Send + 'static,
    ) -> Result<T, Error> {
        let turn = self.turns.acquire().await;
        let _turn = turn.map_err(|_| Error::Unavailable("the store is closed".into()))?;
        if may_wait() {
            return self.read_here(look);
        }
        let pool = self.clone();
        let read = spawn_blocking(move || pool.read_here(look)).await;
        read.map_err(|cause| {
            Error::Unavailable(format!("a read of the database was aborted: {cause}"))
        })?
    }

    fn read_here<T>(&self, look: impl FnOnce(&Connection) -> Result<T, Halt>) -> Result<T, Error> {
        let stamp = if self.to_look { Stamp::of(&self.home) } else { None };
        match stamp {
            Some(stamp) => self.look_at(&stamp, look),
            None => self.look(look),
        }
    }

    fn look<T>(&self, look: impl FnOnce(&Connection) -> Result<T, Halt>) -> Result<T, Error> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let db = match free {
            Some(db) => db,
            None => open::for_reading(&self.home).map_err(Halt::from)?,
        };
        let found = at_one_moment(&db, look);
        // A connection that failed is not used again: what it has in its cache may be at fault.
        if !matches!(found, Err(Halt::Sql(_))) {
            self.free.lock().unwrap_or_else(PoisonError::into_inner).push(db);
        }
        found.map_err(Error::from)
    }
}

impl Pool {
    /// Reads a file that no process writes. The connection is used once: it takes no locks, so it
    /// would not notice a later change of the file.
    fn look_at<T>(
        &self,
        stamp: &Stamp,
        look: impl FnOnce(&Connection) -> Result<T, Halt>,
    ) -> Result<T, Error> {
        let db = open::for_looking(&self.home).map_err(Halt::from)?;
        let found = at_one_moment(&db, look);
        if Stamp::of(&self.home).as_ref() != Some(stamp) {
            return Err(Error::Unavailable(
                "another process is writing to the store; try again".into(),
            ));
        }
        found.map_err(Error::from)
    }
}

fn at_one_moment<T>(
    db: &Connection,
    look: impl FnOnce(&Connection) -> Result<T, Halt>,
) -> Result<T, Halt> {
    db.prepare_cached("BEGIN")?.execute([])?;
    let found = look(db);
    db.prepare_cached("COMMIT")?.execute([])?;
    found
}
