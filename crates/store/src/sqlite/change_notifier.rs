//! Tells waiting callers that something changed, in this process or in another.
//!
//! SQLite counts the commits of other connections in `PRAGMA data_version`; reading it costs
//! microseconds. What this store queues itself is announced at once, without waiting for the next
//! check.
//!
//! The death of a worker cannot be noticed this way: a lock that falls free is no commit. So
//! [`ChangeNotifier::wait`] returns after a second at the latest, and its caller then checks for
//! dead workers.

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
    /// How many changes were noticed so far.
    rung: AtomicU64,
    waiting: Notify,
    look: Mutex<Look>,
    every: Duration,
}

struct Look {
    db: Connection,
    version: i64,
}

/// The longest that a caller waits without a change.
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

    /// Returns when something may have changed since `seen`, or after [`LONGEST`].
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
