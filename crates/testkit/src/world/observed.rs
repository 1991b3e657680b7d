//! Agents whose calls pass through hooks.

use std::sync::Arc;

use async_trait::async_trait;
use consign_engine::{
    Agent, Attempt, Bound, Bridged, Data, Failure, Invoker, Nanos, Order, Probe, Quote, Reply,
    Settings,
};

use super::audit::Audit;

/// Somebody who sees every attempt. It may hold it up, or never come back.
#[async_trait]
pub trait Observer: Send + Sync {
    /// An attempt is about to be made.
    async fn before(&self, _attempt: &Attempt) {}

    /// An attempt had its effect, and its result is on the way back.
    async fn after(&self, _attempt: &Attempt) {}
}

#[async_trait]
impl Observer for Audit {
    async fn before(&self, attempt: &Attempt) {
        self.attempt(attempt);
    }
}

/// The agent, observed.
pub(super) fn observed(agent: Agent, by: &[Arc<dyn Observer>]) -> Agent {
    let invoker = Arc::new(Observed { inner: agent.invoker.clone(), by: by.to_vec() });
    Agent { invoker, ..agent }
}

struct Observed {
    inner: Arc<dyn Invoker>,
    by: Vec<Arc<dyn Observer>>,
}

#[async_trait]
impl Invoker for Observed {
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
        for observer in &self.by {
            observer.before(&attempt).await;
        }
        let result = self.inner.invoke(attempt.clone()).await;
        for observer in &self.by {
            observer.after(&attempt).await;
        }
        result
    }

    async fn probe(&self, attempt: Attempt) -> Probe {
        self.inner.probe(attempt).await
    }
}
