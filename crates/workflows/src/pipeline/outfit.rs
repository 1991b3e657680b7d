//! Who works in a pipeline, as agents of the engine: the built-in ones, those with a model, and those
//! that a pipeline's file defines itself.

use std::{path::Path, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_engine::{
    Agent, Agents, Attempt, Bound, Bridged, Data, Directory, Effect, Failure, Fault, Invoker,
    Nanos, Order, Quote, Reply, Settings, notebook::Notebook,
};
use consign_models::{
    define::{Definition, Workshop},
    settings::RunSettings,
};
use serde_json::json;

use super::{
    agents::{self, Brief, BuiltIn, Stop},
    pinned::Pins,
    pipeline::{PASS, THINKING},
    remember::with_memory,
};

/// How long a built-in agent may take.
const TIMEOUT: Duration = Duration::from_secs(120);
/// How long it may take to stop. It looks up from every file, and a file can be a strange one.
const GRACE: Duration = Duration::from_secs(5);

/// The built-in agents.
#[must_use]
pub fn agents(to: Agents) -> Agents {
    let to = agents::all().into_iter().fold(to, |to, agent| {
        let (name, contract) = (agent.name(), agent.contract());
        let worker = Agent::new(Effect::Pure, Worker(Arc::from(agent)));
        to.with(name, worker.with_timeout(TIMEOUT).with_output(contract))
    });
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

/// A built-in agent, by itself.
struct Worker(Arc<dyn BuiltIn>);

#[async_trait]
impl Invoker for Worker {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let agent = self.0.clone();
        let input = attempt.input.clone();
        let work = move |stop: &Stop| agent.work(&Brief::read(&input)?, stop);
        let output = aside(&attempt, work).await?;
        Ok(Reply::new(Data::from(&output), Nanos::ZERO))
    }
}

/// Does work that blocks on a thread of its own, and tells it to stop when nobody wants it any more.
async fn aside<T: Send + 'static>(
    attempt: &Attempt,
    work: impl FnOnce(&Stop) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Failure> {
    let failed = |fault| Failure::new(fault, Some(Nanos::ZERO));
    let stop = Stop::new();
    // Whoever drops the attempt drops this too.
    let _dropped = OnDrop(stop.clone());
    let theirs = stop.clone();
    let mut working = tokio::task::spawn_blocking(move || work(&theirs));
    let done = tokio::select! {
        done = &mut working => done,
        () = attempt.cancelled() => {
            stop.stop();
            match tokio::time::timeout(GRACE, working).await {
                Ok(done) => done,
                Err(_) => return Err(failed(stuck())),
            }
        }
    };
    match done {
        Ok(result) => result.map_err(failed),
        Err(cause) => {
            let text = format!("the agent broke down: {}", panicked(cause));
            Err(failed(Fault::permanent("AGENT_PANICKED", text)))
        }
    }
}

/// It changes nothing that anybody else sees, so that it may be left to itself.
fn stuck() -> Fault {
    let text = format!("the agent was told to stop and did not within {} s", GRACE.as_secs());
    Fault::permanent("AGENT_STUCK", text)
}

fn panicked(cause: tokio::task::JoinError) -> String {
    match cause.try_into_panic() {
        Ok(panic) => {
            let said = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
        }
        Err(cause) => cause.to_string(),
    }
}

struct OnDrop(Stop);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A built-in agent with a model: it asks, and checks what it is told.
struct Thinker {
    agent: Arc<dyn BuiltIn>,
    model: Arc<dyn Invoker>,
}

impl Thinker {
    /// What the model is given: the question that the agent has for it.
    fn asked(&self, input: &Data) -> Result<Data, Fault> {
        let brief = Brief::read(input)?;
        let prompt = self.agent.prompt(&brief).ok_or_else(|| {
            let text = format!("{} has no question for a model", self.agent.name());
            Fault::permanent("NO_MODEL_HERE", text)
        })?;
        Ok(Data::of(&json!({ "prompt": prompt })))
    }
}

#[async_trait]
impl Invoker for Thinker {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        self.asked(input).ok().and_then(|asked| self.model.worst_case(&asked))
    }

    fn quote(&self, order: &Order<'_>) -> Quote {
        match self.asked(order.input) {
            Ok(asked) => self.model.quote(&Order { input: &asked, ..*order }),
            // It will fail before anything is sent.
            Err(_) => Quote::unbilled(Some(Nanos::ZERO)),
        }
    }

    fn bound(&self, input: &Data, settings: &Settings, tries: u32) -> Bound {
        let asked = self.asked(input).unwrap_or_else(|_| Data::of(&json!({ "prompt": "" })));
        self.model.bound(&asked, settings, tries)
    }

    async fn invoke(&self, mut attempt: Attempt) -> Result<Reply, Failure> {
        let unpaid = |fault| Failure::new(fault, Some(Nanos::ZERO));
        let input = attempt.input.clone();
        attempt.input = self.asked(&input).map_err(unpaid)?;
        let reply = self.model.invoke(attempt.clone()).await?;
        let (agent, said) = (self.agent.clone(), reply.output.clone());
        let settled =
            aside(&attempt, move |_| agent.settle(&Brief::read(&input)?, said.tree().into_owned()));
        match settled.await {
            Ok(output) => Ok(Reply { output: Data::from(&output), ..reply }),
            // It was paid for all the same.
            Err(failure) => Err(Failure { cost: Some(reply.cost), note: reply.note, ..failure }),
        }
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
pub struct Outfit {
    workshop: Workshop,
    pins: Arc<Pins>,
    /// Where the user's own are.
    others: Arc<dyn Directory>,
    /// What sessions remember.
    notebook: Arc<dyn Notebook>,
}

impl Outfit {
    #[must_use]
    pub fn new(
        workshop: Workshop,
        pins: Arc<Pins>,
        others: Arc<dyn Directory>,
        notebook: Arc<dyn Notebook>,
    ) -> Self {
        Self { workshop, pins, others, notebook }
    }

    fn thinker(&self, name: &str, model: &str) -> Agent {
        let Some(agent) = agents::find(name) else {
            return self.workshop.broken(&format!("there is no built-in agent {name}"));
        };
        let contract = agent.contract();
        let agent: Arc<dyn BuiltIn> = Arc::from(agent);
        match asking(name, model) {
            Ok(definition) => {
                let made = self.workshop.agent(&definition);
                let thinker = Thinker { agent, model: made.invoker.clone() };
                let thinker = Agent { invoker: Arc::new(thinker), ..made }.with_output(contract);
                with_memory(name, thinker, &self.notebook)
            }
            // What a person says in its place is held to the same contract.
            Err(why) => self.workshop.broken(&why).with_output(contract),
        }
    }
}

/// The definition of a built-in agent that asks a model. Nobody is asked to stand in for the model: the
/// agent can do without.
pub(super) fn asking(name: &str, model: &str) -> Result<Definition, String> {
    if model == "bridge" {
        return Err(format!("{name} checks what a model says, and `bridge` is none"));
    }
    let text = toml::to_string(&json!({
        "name": name,
        "effect": "pure",
        "timeout_seconds": 120,
        "contract": { "output": format!("envelope/output.{name}") },
        "model": { "name": model, "prompt": "{{input.prompt}}", "repair": ["local", "ask_again"] },
    }));
    let text = text.map_err(|cause| cause.to_string())?;
    Definition::read(&text, Path::new("/built-in.toml"))
}

impl Directory for Outfit {
    fn find(&self, name: &str) -> Option<Agent> {
        let (plain, model) = match name.split_once('@') {
            Some((plain, model)) => (plain, Some(model)),
            None => (name, None),
        };
        if let Some(model) = model
            && THINKING.contains(&plain)
        {
            return Some(self.thinker(plain, model));
        }
        let agent = match plain.split_once('#') {
            Some((stage, pinned)) => self.pins.agent(&self.workshop, pinned, stage),
            None => self.others.find(plain)?,
        };
        let Some(model) = model else { return Some(agent) };
        let with = WithModel { inner: agent.invoker.clone(), model: model.to_owned() };
        Some(Agent { invoker: Arc::new(with), ..agent })
    }
}

#[cfg(test)]
mod tests {
    use consign_engine::OutputContract;

    use super::{super::pipeline::BUILT_IN, *};

    #[test]
    fn each_built_in_agent_is_held_to_the_contract_of_its_name() {
        let all = agents(Agents::default());
        for name in BUILT_IN {
            let output = all.get(name).expect("it is built in").output;
            let contract = match &output {
                Some(OutputContract::Published(contract)) => Some(contract.name.to_owned()),
                Some(OutputContract::Own(_)) | None => None,
            };
            let expected = (name != PASS).then(|| format!("envelope/output.{name}"));
            assert_eq!(contract, expected);
        }
    }
}
