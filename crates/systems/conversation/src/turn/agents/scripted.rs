//! An agent of a turn that a script may stand in for. One that a script names nowhere works itself.

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use consign_engine::{
    Agent, Attempt, Bound, Bridged, Data, Failure, Invoker, Nanos, Order, Probe, Quote, Reply,
    Settings,
};
use consign_invokers::{Scriptable, define::Workshop, script::Scripts, settings::RunSettings};

pub(super) struct MaybeScripted {
    name: &'static str,
    inner: Arc<dyn Invoker>,
    scripted: Scriptable,
    scripts: Arc<Scripts>,
}

impl MaybeScripted {
    pub(super) fn wrap(name: &'static str, agent: Agent, workshop: &Workshop) -> Agent {
        let (inner, timeout) = (agent.invoker.clone(), agent.timeout);
        let scripts = workshop.scripts().clone();
        let scripted = Scriptable::new(Arc::from(name), inner.clone(), scripts.clone(), timeout);
        Agent { invoker: Arc::new(Self { name, inner, scripted, scripts }), ..agent }
    }

    fn names(&self, script: &Path) -> bool {
        // A script that cannot be read fails the call where it is played.
        self.scripts.script(script).map_or(true, |script| script.names(self.name))
    }

    fn invoker(&self, settings: &Settings) -> &dyn Invoker {
        match RunSettings::of(settings) {
            Ok(RunSettings { script: Some(script), .. }) if !self.names(&script) => {
                self.inner.as_ref()
            }
            Ok(_) | Err(_) => &self.scripted,
        }
    }
}

#[async_trait]
impl Invoker for MaybeScripted {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        self.inner.worst_case(input)
    }

    fn quote(&self, order: &Order<'_>) -> Quote {
        self.invoker(order.settings).quote(order)
    }

    fn bound(&self, input: &Data, settings: &Settings, tries: u32) -> Bound {
        self.invoker(settings).bound(input, settings, tries)
    }

    fn bridge(&self, input: &Data, settings: &Settings) -> Option<Bridged> {
        self.invoker(settings).bridge(input, settings)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let settings = attempt.settings.clone();
        self.invoker(&settings).invoke(attempt).await
    }

    async fn probe(&self, attempt: Attempt) -> Probe {
        let settings = attempt.settings.clone();
        self.invoker(&settings).probe(attempt).await
    }
}
