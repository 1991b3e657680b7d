//! Notices that something changed, here or in another process.
//!
//! SQLite counts the commits of others in `PRAGMA data_version`; looking at it costs microseconds.
//! What this store itself queues or pokes is told at once, without waiting for the next look.
//!
//! Nobody can notice the death of a worker this way: a lock that falls free is no commit. So
//! [`ChangeNotifier::wait`] comes back after a second at the latest, and its caller looks after the dead.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use consign_engine::store::Tick;
use rusqlite::Connection;
use tokio::{sync::Notify, time::Instant};

pub(crate) struct ChangeNotifier {
    /// How many changes were noticed.
    rung: AtomicU64,
    waiting: Notify,
    look: Mutex<Look>,
    every: Duration,
}

struct Look {
    db: Connection,
    version: i64,
}

/// The longest that a waiting caller is left without a word.
const LONGEST: Duration = Duration::from_secs(1);

impl ChangeNotifier {
    pub(crate) fn new(db: Connection, every: Duration) -> rusqlite::Result<Arc<Self>> {
        // It is asked between two other things of a runtime's thread, which must not sleep.
        db.busy_timeout(Duration::ZERO)?;
        let version = data_version(&db)?;
        Ok(Arc::new(Self {
            rung: AtomicU64::new(0),
            waiting: Notify::new(),
            look: Mutex::new(Look { db, version }),
            every,
        }))
    }

    pub(crate) fn ring(&self) {
        self.rung.fetch_add(1, Ordering::AcqRel);
        self.waiting.notify_waiters();
    }

    /// Comes back when something may have changed since `seen`.
    pub(crate) async fn wait(&self, seen: Tick) -> Tick {
        let latest = Instant::now() + LONGEST;
        loop {
            let rings = self.waiting.notified();
            tokio::pin!(rings);
            // From here on no ring is missed, also before the first poll.
            rings.as_mut().enable();
            self.look();
            let rung = Tick(self.rung.load(Ordering::Acquire));
            if rung != seen || Instant::now() >= latest {
                return rung;
            }
            // Coming back for nothing is allowed, and a ring in time comes first.
            let _ = tokio::time::timeout(self.every, rings).await;
        }
    }

    fn look(&self) {
        let mut look = self.look.lock().unwrap_or_else(PoisonError::into_inner);
        // Who cannot look says that something may have changed: the caller will find out.
        let version = data_version(&look.db).ok();
        if version != Some(look.version) {
            look.version = version.unwrap_or(look.version);
            drop(look);
            self.ring();
        }
    }
}

fn data_version(db: &Connection) -> rusqlite::Result<i64> {
    db.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
}
