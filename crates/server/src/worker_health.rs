//! Whether a worker is there to drive the runs that this server accepts.
//!
//! The program that keeps a worker beside the server clones a [`WorkerHealth`] into
//! [`Options`](crate::Options) and says by [`WorkerHealth::set`] how the worker is; `GET /readyz` reads it.
//! It decides nothing: runs are accepted and kept either way.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A shared flag: the worker can work. It is set at first.
#[derive(Clone, Debug)]
pub struct WorkerHealth(Arc<AtomicBool>);

impl WorkerHealth {
    /// Says whether there is a worker that can work.
    pub fn set(&self, can_work: bool) {
        self.0.store(can_work, Ordering::Relaxed);
    }

    pub(crate) fn can_work(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Default for WorkerHealth {
    fn default() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }
}
