//! An agent that a script may stand in for.

use std::{path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_engine::{
    Attempt, Bound, Bridged, Data, Failure, Invoker, Nanos, Order, Probe, Quote, Reply, Settings,
};

use crate::{
    script::{Scripts, note_invocation},
    settings::RunSettings,
};

/// Any invoker but a model's, which sees to its scripts itself.
pub struct Staged {
    name: Arc<str>,
    inner: Arc<dyn Invoker>,
    scripts: Arc<Scripts>,
    timeout: Duration,
}

impl Staged {
    #[must_use]
    pub fn new(
        name: Arc<str>,
        inner: Arc<dyn Invoker>,
        scripts: Arc<Scripts>,
        timeout: Duration,
    ) -> Self {
        Self { name, inner, scripts, timeout }
    }

    fn script(&self, settings: &Settings) -> Option<PathBuf> {
        RunSettings::of(settings).script
    }
}

#[async_trait]
impl Invoker for Staged {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        self.inner.worst_case(input)
    }

    fn quote(&self, order: &Order<'_>) -> Quote {
        match self.script(order.settings) {
            Some(script) => {
                Quote { cost: Some(self.scripts.worst(&script, &self.name)), note: None }
            }
            None => self.inner.quote(order),
        }
    }

    fn bound(&self, input: &Data, settings: &Settings, tries: u32) -> Bound {
        match self.script(settings) {
            Some(script) => Bound {
                cost: Some(self.scripts.worst(&script, &self.name).times(u64::from(tries))),
                calls: Some(u64::from(tries)),
            },
            None => self.inner.bound(input, settings, tries),
        }
    }

    fn bridge(&self, input: &Data, settings: &Settings) -> Option<Bridged> {
        match self.script(settings) {
            Some(_) => None,
            None => self.inner.bridge(input, settings),
        }
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let settings = RunSettings::of(&attempt.settings);
        if let Some(path) = &settings.invocations {
            note_invocation(path, &attempt, attempt.input.as_str(), self.timeout)
                .map_err(|fault| Failure::new(fault, Some(Nanos::ZERO)))?;
        }
        let Some(script) = settings.script else { return self.inner.invoke(attempt).await };
        let line = self.scripts.play(&script, &attempt).await?;
        Ok(Reply::new(line.response.output(), line.cost).with_note(line.note))
    }

    async fn probe(&self, attempt: Attempt) -> Probe {
        match self.script(&attempt.settings) {
            Some(_) => Probe::Unknown,
            None => self.inner.probe(attempt).await,
        }
    }
}
