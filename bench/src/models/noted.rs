//! An invoker that notes what it was called with and when, and leaves the rest to another.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use async_trait::async_trait;
use consign_engine::{
    Attempt, Bound, Bridged, Data, Failure, Invoker, Nanos, Order, Probe, Quote, Reply, Settings,
};

/// The newest call: its intent is on the disk, and nothing has been sent yet.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) attempt: Attempt,
    pub(super) at: Instant,
}

pub(super) struct Noted {
    inner: Arc<dyn Invoker>,
    newest: Arc<Mutex<Option<Call>>>,
}

impl Noted {
    pub(super) fn new(inner: Arc<dyn Invoker>, newest: Arc<Mutex<Option<Call>>>) -> Self {
        Self { inner, newest }
    }
}

#[async_trait]
impl Invoker for Noted {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        self.inner.worst_case(input)
    }

    fn quote(&self, order: &Order<'_>) -> Quote {
        self.inner.quote(order)
    }

    fn bound(&self, input: &Data, settings: &Settings, tries: u32) -> Bound {
        self.inner.bound(input, settings, tries)
    }

    fn bridge(&self, input: &Data, settings: &Settings) -> Option<Bridged> {
        self.inner.bridge(input, settings)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let call = Call { attempt: attempt.clone(), at: Instant::now() };
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
        self.inner.invoke(attempt).await
    }

    async fn probe(&self, attempt: Attempt) -> Probe {
        self.inner.probe(attempt).await
    }
}
