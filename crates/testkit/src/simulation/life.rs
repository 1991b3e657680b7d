//! The state of one process: whether it is alive, what its clock says, and its registration as a
//! worker.

use std::{
    future::pending,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

use consign_engine::{At, Clock, WorkerId, store::Enlisted};
use tokio::time::Instant;

use super::world::World;

/// When simulations begin.
const DAWN: i64 = 1_800_000_000_000_000;

pub(super) struct Life {
    pub(super) name: String,
    dead: AtomicBool,
    /// Others took it for dead at some time.
    suspected: AtomicBool,
    /// Microseconds that its wall clock is ahead.
    ahead: AtomicI64,
    seat: Mutex<Option<Seat>>,
}

/// A place among the workers. Without a guard the others take it for dead.
struct Seat {
    worker: WorkerId,
    guard: Option<Box<dyn Enlisted>>,
}

impl Life {
    pub(super) fn new(name: String, ahead: i64) -> Self {
        Self {
            name,
            dead: AtomicBool::new(false),
            suspected: AtomicBool::new(false),
            ahead: AtomicI64::new(ahead),
            seat: Mutex::new(None),
        }
    }

    /// Ends it, wherever its tasks are: what they wait for never comes.
    pub(super) fn end(&self) {
        self.dead.store(true, Ordering::Relaxed);
        self.seat(|seat| *seat = None);
    }

    pub(super) fn is_over(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    /// Comes back at once, or never.
    pub(super) async fn breathe(&self) {
        if self.is_over() {
            pending::<()>().await;
        }
    }

    pub(super) fn sit(&self, worker: WorkerId, guard: Box<dyn Enlisted>) {
        self.seat(|seat| *seat = Some(Seat { worker, guard: Some(guard) }));
    }

    /// Its worker, if it has a seat.
    pub(super) fn worker(&self) -> Option<WorkerId> {
        self.seat(|seat| seat.as_ref().map(|seat| seat.worker.clone()))
    }

    /// The others take it for dead, and it goes on.
    pub(super) fn suspect(&self) -> Option<WorkerId> {
        self.seat(|seat| {
            let seat = seat.as_mut()?;
            seat.guard.take()?;
            self.suspected.store(true, Ordering::Relaxed);
            Some(seat.worker.clone())
        })
    }

    /// The others see that it lives.
    pub(super) fn absolve(&self, guard: Box<dyn Enlisted>) {
        self.seat(|seat| {
            if let Some(seat) = seat {
                seat.guard = Some(guard);
            }
        });
    }

    pub(super) fn was_suspected(&self) -> bool {
        self.suspected.load(Ordering::Relaxed)
    }

    /// Somebody sets its clock.
    pub(super) fn set_ahead(&self, micros: i64) {
        self.ahead.store(micros, Ordering::Relaxed);
    }

    fn seat<T>(&self, with: impl FnOnce(&mut Option<Seat>) -> T) -> T {
        with(&mut self.seat.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The clock of a process. Looking at it counts, so that a loop which waits for nothing is seen.
pub(super) struct Watch {
    pub(super) world: Arc<World>,
    pub(super) life: Arc<Life>,
    pub(super) born: Instant,
}

impl Clock for Watch {
    fn wall(&self) -> At {
        self.world.tick(&self.life, "looks at its clock");
        let passed = self.world.trace.began().elapsed();
        At(DAWN + self.life.ahead.load(Ordering::Relaxed)) + passed
    }

    fn ticks(&self) -> Duration {
        self.born.elapsed()
    }
}
