//! An invoker that a script can replace, for tests without calls.

use std::{path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_engine::{
    Attempt, Bound, Bridged, Data, Failure, Fault, Invoker, Nanos, Order, Probe, Quote, Reply,
    Settings,
};

use crate::{
    script::{Scripts, note_invocation},
    settings::RunSettings,
};

/// Wraps any invoker but a model's, which reads its scripts itself.
pub struct Scriptable {
    name: Arc<str>,
    inner: Arc<dyn Invoker>,
    scripts: Arc<Scripts>,
    timeout: Duration,
}

impl Scriptable {
    #[must_use]
    pub fn new(
        name: Arc<str>,
        inner: Arc<dyn Invoker>,
        scripts: Arc<Scripts>,
        timeout: Duration,
    ) -> Self {
        Self { name, inner, scripts, timeout }
    }

    fn script(&self, settings: &Settings) -> Result<Option<PathBuf>, Fault> {
        Ok(RunSettings::of(settings)?.script)
    }
}

#[async_trait]
impl Invoker for Scriptable {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        self.inner.worst_case(input)
    }

    fn quote(&self, order: &Order<'_>) -> Quote {
        match self.script(order.settings) {
            Ok(Some(script)) => Quote::of(self.scripts.worst(&script, &self.name)),
            Ok(None) => self.inner.quote(order),
            // It will fail before anything is done.
            Err(_) => Quote::of(Nanos::ZERO),
        }
    }

    fn bound(&self, input: &Data, settings: &Settings, tries: u32) -> Bound {
        let tries_of = |cost: Nanos| {
            let calls = u64::from(tries);
            Bound { cost: Some(cost.times(calls)), calls: Some(calls) }
        };
        match self.script(settings) {
            Ok(Some(script)) => tries_of(self.scripts.worst(&script, &self.name)),
            Ok(None) => self.inner.bound(input, settings, tries),
            Err(_) => tries_of(Nanos::ZERO),
        }
    }

    fn bridge(&self, input: &Data, settings: &Settings) -> Option<Bridged> {
        match self.script(settings) {
            Ok(None) => self.inner.bridge(input, settings),
            Ok(Some(_)) | Err(_) => None,
        }
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let unpaid = |fault| Failure::new(fault, Some(Nanos::ZERO));
        let settings = RunSettings::of(&attempt.settings).map_err(unpaid)?;
        if let Some(path) = &settings.invocations {
            note_invocation(path, &attempt, attempt.input.as_str(), self.timeout)
                .map_err(unpaid)?;
        }
        let Some(script) = settings.script else { return self.inner.invoke(attempt).await };
        let line = self.scripts.play(&script, &attempt).await?;
        Ok(Reply::new(line.response.output(), line.cost).with_note(line.note))
    }

    async fn probe(&self, attempt: Attempt) -> Probe {
        match self.script(&attempt.settings) {
            Ok(None) => self.inner.probe(attempt).await,
            Ok(Some(_)) | Err(_) => Probe::Unknown,
        }
    }
}
