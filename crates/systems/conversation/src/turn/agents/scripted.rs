//! An agent of a turn that a script may stand in for. One that a script names nowhere works itself.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_engine::{
    Agent, Attempt, Bound, Bridged, Data, Failure, Invoker, Nanos, Order, Probe, Quote, Reply,
    Settings,
};
use consign_invokers::{
    Scriptable,
    define::Workshop,
    script::{Scripts, note_invocation},
    settings::RunSettings,
};

use super::TAILOR;

pub(super) struct MaybeScripted {
    name: &'static str,
    inner: Arc<dyn Invoker>,
    scripted: Scriptable,
    scripts: Arc<Scripts>,
    timeout: Duration,
}

/// Who answers, and under which settings.
struct Who<'a> {
    invoker: &'a dyn Invoker,
    settings: Settings,
    works_itself: bool,
}

impl MaybeScripted {
    pub(super) fn wrap(name: &'static str, agent: Agent, workshop: &Workshop) -> Agent {
        let (inner, timeout) = (agent.invoker.clone(), agent.timeout);
        let scripts = workshop.scripts().clone();
        let scripted = Scriptable::new(Arc::from(name), inner.clone(), scripts.clone(), timeout);
        Agent { invoker: Arc::new(Self { name, inner, scripted, scripts, timeout }), ..agent }
    }

    fn who(&self, settings: &Settings) -> Who<'_> {
        let scripted =
            Who { invoker: &self.scripted, settings: settings.clone(), works_itself: false };
        let Ok(mut own) = RunSettings::of(settings) else { return scripted };
        if let Some(path) = own.script.take() {
            // A script that cannot be read fails the call where it is played.
            if self.scripts.script(&path).map_or(true, |script| script.names(self.name)) {
                return scripted;
            }
        }
        Who { invoker: self.inner.as_ref(), settings: own.settings(), works_itself: true }
    }

    /// Writes down what an agent is given that works itself. What is scripted does so, and so does a model.
    fn note(&self, attempt: &Attempt) -> Result<(), Failure> {
        let unpaid = |fault| Failure::new(fault, Some(Nanos::ZERO));
        let settings = RunSettings::of(&attempt.settings).map_err(unpaid)?;
        let is_model = self.name == TAILOR && attempt.input.shown().get("model").is_some();
        match settings.invocations.filter(|_| !is_model) {
            Some(file) => note_invocation(&file, attempt, attempt.input.as_str(), self.timeout)
                .map_err(unpaid),
            None => Ok(()),
        }
    }
}

#[async_trait]
impl Invoker for MaybeScripted {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        self.inner.worst_case(input)
    }

    fn quote(&self, order: &Order<'_>) -> Quote {
        let Who { invoker, settings, .. } = self.who(order.settings);
        invoker.quote(&Order { settings: &settings, ..*order })
    }

    fn bound(&self, input: &Data, settings: &Settings, tries: u32) -> Bound {
        let Who { invoker, settings, .. } = self.who(settings);
        invoker.bound(input, &settings, tries)
    }

    fn bridge(&self, input: &Data, settings: &Settings) -> Option<Bridged> {
        let Who { invoker, settings, .. } = self.who(settings);
        invoker.bridge(input, &settings)
    }

    async fn invoke(&self, mut attempt: Attempt) -> Result<Reply, Failure> {
        let Who { invoker, settings, works_itself } = self.who(&attempt.settings);
        attempt.settings = settings;
        if works_itself {
            self.note(&attempt)?;
        }
        invoker.invoke(attempt).await
    }

    async fn probe(&self, mut attempt: Attempt) -> Probe {
        let Who { invoker, settings, .. } = self.who(&attempt.settings);
        attempt.settings = settings;
        invoker.probe(attempt).await
    }
}
