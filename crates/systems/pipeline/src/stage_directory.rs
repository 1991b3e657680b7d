//! The agents of a pipeline's stages: those that a stage calls by a longer name, with a model of its own or
//! defined in the pipeline's file, and `pass`, which passes everything on.

use std::sync::Arc;

use async_trait::async_trait;
use consign_engine::{
    Agent, AgentName, Agents, Attempt, Bound, Bridged, Data, Directory, Effect, Failure, Invoker,
    Nanos, Order, Quote, Reply, Settings,
};
use consign_invokers::{define::Workshop, settings::RunSettings};
use serde_json::json;

use super::{
    pinned::Pins,
    pipeline::{PASS, THINKING},
};

/// The agents that every pipeline has, beside those that are there: `pass`.
#[must_use]
pub fn agents(to: Agents) -> Agents {
    to.with(PASS, Agent::new(Effect::Pure, Pass))
}

/// Passes everything on.
struct Pass;

#[async_trait]
impl Invoker for Pass {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, _attempt: Attempt) -> Result<Reply, Failure> {
        Ok(Reply::new(Data::of(&json!({})), Nanos::ZERO))
    }
}

/// An agent of the user's own, with another model than its own.
struct WithModel {
    inner: Arc<dyn Invoker>,
    model: String,
}

impl WithModel {
    fn settings(&self, settings: &Settings) -> Settings {
        match RunSettings::of(settings) {
            Ok(own) if own.model.is_none() => {
                RunSettings { model: Some(self.model.clone()), ..own }.settings()
            }
            // What was said for the whole run counts more; what cannot be read fails there.
            Ok(_) | Err(_) => settings.clone(),
        }
    }
}

#[async_trait]
impl Invoker for WithModel {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        self.inner.worst_case(input)
    }

    fn quote(&self, order: &Order<'_>) -> Quote {
        let settings = self.settings(order.settings);
        self.inner.quote(&Order { settings: &settings, ..*order })
    }

    fn bound(&self, input: &Data, settings: &Settings, tries: u32) -> Bound {
        self.inner.bound(input, &self.settings(settings), tries)
    }

    fn bridge(&self, input: &Data, settings: &Settings) -> Option<Bridged> {
        self.inner.bridge(input, &self.settings(settings))
    }

    async fn invoke(&self, mut attempt: Attempt) -> Result<Reply, Failure> {
        attempt.settings = self.settings(&attempt.settings);
        self.inner.invoke(attempt).await
    }
}

/// Finds the agents that pipelines call by longer names: `intent@openai/gpt-5-mini`,
/// `stage#PINNED`, `reviewer@ollama/qwen`.
pub struct StageDirectory {
    workshop: Workshop,
    pins: Arc<Pins>,
    /// The built-in agents that ask a model, by `name@model`.
    thinkers: Arc<dyn Directory>,
    /// The user's own agents.
    others: Arc<dyn Directory>,
}

impl StageDirectory {
    #[must_use]
    pub fn new(
        workshop: Workshop,
        pins: Arc<Pins>,
        thinkers: Arc<dyn Directory>,
        others: Arc<dyn Directory>,
    ) -> Self {
        Self { workshop, pins, thinkers, others }
    }
}

impl Directory for StageDirectory {
    fn find(&self, name: &str) -> Option<Agent> {
        let name = AgentName::from(name);
        if name.model().is_some() && THINKING.contains(&name.plain()) {
            return self.thinkers.find(&name);
        }
        let agent = match name.pin() {
            Some(pin) => self.pins.agent(&self.workshop, pin, name.plain()),
            None => self.others.find(name.plain())?,
        };
        let Some(model) = name.model() else { return Some(agent) };
        let with = WithModel { inner: agent.invoker.clone(), model: model.to_owned() };
        Some(Agent { invoker: Arc::new(with), ..agent })
    }
}
