//! Whether somebody drives the runs that are accepted here.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Whoever keeps the worker beside a server says by this how it is. At first all is well.
#[derive(Clone, Debug)]
pub struct Attended(Arc<AtomicBool>);

impl Attended {
    /// Says whether there is a worker that can work.
    pub fn set(&self, attended: bool) {
        self.0.store(attended, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Default for Attended {
    fn default() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }
}
