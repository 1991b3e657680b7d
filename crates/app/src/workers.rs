//! Workers: processes that take detached runs and drive them.

use std::sync::Arc;

use consign_engine::{Engine, Report, Stop, Worker, WorkerId};
use tokio::sync::watch;

use crate::{error::Error, machine::host};

/// A worker that has its place among the others and has not begun yet.
pub struct Enlisted {
    pub id: WorkerId,
    /// What this machine is called in placements.
    pub host: Arc<str>,
    worker: Worker,
}

/// Takes a place among the workers of a home, for up to `at_once` runs side by side.
pub async fn enlist(engine: &Arc<Engine>, at_once: usize) -> Result<Enlisted, Error> {
    let seat = engine.enlist().await?;
    let (id, host) = (seat.worker().clone(), host());
    Ok(Enlisted { id, host: host.clone(), worker: Worker::new(seat, Some(host), at_once) })
}

impl Enlisted {
    /// Waits for a store that cannot be used just now for as long as it takes.
    #[must_use]
    pub fn patient(mut self) -> Self {
        self.worker = self.worker.patient();
        self
    }

    /// Works until it is told to stop and everything is put back.
    pub async fn work(
        self,
        stop: watch::Receiver<Stop>,
        tell: impl FnMut(Report) + Send,
    ) -> Result<(), Error> {
        Ok(self.worker.work(stop, tell).await?)
    }
}
