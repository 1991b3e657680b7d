//! What comes in from the machine: time, waiting, randomness, the addresses of names, credentials.

use std::{io, net::IpAddr, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_engine::{Clock, Entropy};

use crate::Credentials;

/// Waits. A test's does not.
#[async_trait]
pub trait Sleep: Send + Sync {
    async fn sleep(&self, span: Duration);
}

/// Looks up the addresses of a name. What it says is never trusted: the guard checks every address.
#[async_trait]
pub trait Lookup: Send + Sync {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// Everything from outside that sessions share.
#[derive(Clone)]
pub struct Parts {
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    pub sleep: Arc<dyn Sleep>,
    pub lookup: Arc<dyn Lookup>,
    pub credentials: Arc<dyn Credentials>,
}

impl Parts {
    /// With the real network and real waits.
    #[must_use]
    pub fn new(
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        credentials: Arc<dyn Credentials>,
    ) -> Self {
        let (sleep, lookup) = (Arc::new(TokioSleep), Arc::new(SystemLookup));
        Self { clock, entropy, sleep, lookup, credentials }
    }

    /// A number from 0 up to 1.
    pub(crate) fn fraction(&self) -> f64 {
        let mut bytes = [0; 4];
        self.entropy.fill(&mut bytes);
        f64::from(u32::from_le_bytes(bytes)) / (f64::from(u32::MAX) + 1.0)
    }
}

/// The timer of tokio.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioSleep;

#[async_trait]
impl Sleep for TokioSleep {
    async fn sleep(&self, span: Duration) {
        tokio::time::sleep(span).await;
    }
}

/// The resolver of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|found| found.ip()).collect())
    }
}
