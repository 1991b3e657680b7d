//! Stops a process before or after any of its writes and effects.
//!
//! The process is then dead at once: the write or effect under way does not return, and nothing else of
//! it reaches the store. The test has to drop it.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use consign_engine::{
    Attempt,
    store::{Error, Step},
};
use tokio::sync::watch;

use crate::world::{
    Observer,
    hooked::{Hook, Read, Write, Wrote},
    told,
};

/// The points that all processes of a play come by, in order, and those at which one dies.
#[derive(Clone, Default)]
pub struct Trips(Arc<Mutex<Passed>>);

#[derive(Default)]
struct Passed {
    points: Vec<String>,
    at: Vec<usize>,
    deaths: usize,
}

impl Trips {
    /// Somebody dies at each of these points, counted from 0 over the whole play.
    #[must_use]
    pub fn at(points: &[usize]) -> Self {
        let passed = Passed { at: points.to_vec(), ..Passed::default() };
        Self(Arc::new(Mutex::new(passed)))
    }

    /// What was passed so far.
    #[must_use]
    pub fn points(&self) -> Vec<String> {
        self.passed().points.clone()
    }

    #[must_use]
    pub fn deaths(&self) -> usize {
        self.passed().deaths
    }

    /// Passes a point. Says whether the process dies of it.
    fn pass(&self, point: String) -> bool {
        let mut passed = self.passed();
        let dies = passed.at.contains(&passed.points.len());
        passed.points.push(point);
        passed.deaths += usize::from(dies);
        dies
    }

    fn passed(&self) -> std::sync::MutexGuard<'_, Passed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The points of one process.
pub struct Gate {
    trips: Trips,
    dead: watch::Sender<bool>,
}

impl Gate {
    #[must_use]
    pub fn new(trips: Trips) -> Self {
        Self { trips, dead: watch::Sender::new(false) }
    }

    /// Comes back when the process is dead.
    pub async fn tripped(&self) {
        let mut dead = self.dead.subscribe();
        // The sender is here as long as this is asked.
        let _ = dead.wait_for(|dead| *dead).await;
    }

    async fn pass(&self, point: impl FnOnce() -> String) {
        if !*self.dead.borrow() && self.trips.pass(point()) {
            self.dead.send_replace(true);
        }
        self.live().await;
    }

    /// A dead process comes no further.
    async fn live(&self) {
        if *self.dead.borrow() {
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl Hook for Gate {
    async fn before(&self, write: Write<'_>) -> Result<(), Error> {
        match named(write) {
            Some(name) => self.pass(|| format!("before {name}")).await,
            None => self.live().await,
        }
        Ok(())
    }

    async fn after(&self, write: Write<'_>, wrote: Wrote<'_>) {
        let name = match wrote {
            Wrote::It => named(write),
            Wrote::Claimed(runs) if !runs.is_empty() => Some(format!("claim of {}", runs.len())),
            Wrote::Reclaimed(freed) if freed > 0 => Some(format!("reclaim of {freed}")),
            Wrote::Claimed(_) | Wrote::Reclaimed(_) | Wrote::Refused(_) => None,
        };
        match name {
            Some(name) => self.pass(|| format!("after {name}")).await,
            None => self.live().await,
        }
    }

    async fn reads(&self, _what: Read) {
        self.live().await;
    }
}

#[async_trait]
impl Observer for Gate {
    async fn before(&self, attempt: &Attempt) {
        self.pass(|| format!("before attempt {} of {}", attempt.number, attempt.key)).await;
    }

    async fn after(&self, attempt: &Attempt) {
        self.pass(|| format!("after attempt {} of {}", attempt.number, attempt.key)).await;
    }
}

/// What a write is called. Claims and reclaims are tried all the time: they are only worth stopping
/// at when they came to something.
fn named(write: Write<'_>) -> Option<String> {
    match write {
        Write::Create(_, first) => Some(format!("create: {}", events(&first.step))),
        Write::Commit(commit) => Some(format!("commit: {}", events(&commit.step))),
        Write::Deliver(delivery) => Some(format!("delivery: {}", told(&delivery.record))),
        Write::Redact(erasure) => Some(format!("redaction: {}", told(&erasure.record))),
        Write::Enlist(_) => Some("enlisting".to_owned()),
        Write::SetCap(owner, _) => Some(format!("cap of {owner}")),
        Write::Claim(_) | Write::Reclaim => None,
    }
}

fn events(step: &Step) -> String {
    let events = step.records.iter().map(told).collect::<Vec<_>>().join(", ");
    format!("{events} ({:?})", step.standing)
}
