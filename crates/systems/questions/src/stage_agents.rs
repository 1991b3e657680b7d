//! Makes engine agents of the six built-in agents: alone, and with a model.
//!
//! An agent's work blocks, so it runs on a thread for blocking calls and is told to stop when its
//! result is no longer needed.

use std::{path::Path, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_engine::{
    Agent, AgentName, Agents, Attempt, Bound, Data, Directory, Effect, Failure, Fault, Invoker,
    Nanos, Order, Quote, Reply, Settings, session_memory::SessionMemory,
};
use consign_invokers::define::{Definition, Workshop};
use serde_json::json;

use crate::{
    agents::{self, Brief, BuiltIn, Stop},
    remember::with_memory,
};

/// How long a built-in agent may take.
const TIMEOUT: Duration = Duration::from_secs(120);
/// How long it may take to stop. It checks at every file, and a single file can take long.
const GRACE: Duration = Duration::from_secs(5);

/// Adds the six built-in agents, by their names.
#[must_use]
pub fn stage_agents(to: Agents) -> Agents {
    agents::all().into_iter().fold(to, |to, agent| {
        let (name, contract) = (agent.name(), agent.contract());
        let worker = Agent::new(Effect::Pure, Worker(Arc::from(agent)));
        to.with(name, worker.with_timeout(TIMEOUT).with_output(contract))
    })
}

/// A built-in agent without a model.
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
        let output = run_blocking(&attempt, work).await?;
        Ok(Reply::new(Data::from(&output), Nanos::ZERO))
    }
}

/// Runs blocking work on its own thread, and tells it to stop when its result is no longer needed.
async fn run_blocking<T: Send + 'static>(
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
            let text = format!("the agent panicked: {}", panicked(cause));
            Err(failed(Fault::permanent("AGENT_PANICKED", text)))
        }
    }
}

/// The fault of an agent that does not stop. It changes nothing outside, so it may go on
/// unattended.
fn stuck() -> Fault {
    let text =
        format!("the agent did not stop within {} s after it was cancelled", GRACE.as_secs());
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

/// A built-in agent with a model: it asks the model, and checks its answer.
struct Thinker {
    agent: Arc<dyn BuiltIn>,
    model: Arc<dyn Invoker>,
}

impl Thinker {
    /// The input of the model: the prompt of the agent.
    fn asked(&self, input: &Data) -> Result<Data, Fault> {
        let brief = Brief::read(input)?;
        let prompt = self.agent.prompt(&brief).ok_or_else(|| {
            let text = format!("{} does not use a model", self.agent.name());
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
            Err(_) => Quote::of(Nanos::ZERO),
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
        let settled = run_blocking(&attempt, move |_| {
            agent.settle(&Brief::read(&input)?, said.tree()?.into_owned())
        });
        match settled.await {
            Ok(output) => Ok(Reply { output: Data::from(&output), ..reply }),
            // It was paid for all the same.
            Err(failure) => Err(Failure { cost: Some(reply.cost), note: reply.note, ..failure }),
        }
    }
}

/// Finds built-in agents that use a model, by names such as `intent@openai/gpt-5-mini`.
pub struct Thinkers {
    workshop: Workshop,
    /// The memory of sessions.
    memory: Arc<dyn SessionMemory>,
}

impl Thinkers {
    #[must_use]
    pub fn new(workshop: Workshop, memory: Arc<dyn SessionMemory>) -> Self {
        Self { workshop, memory }
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
                with_memory(name, thinker, &self.memory)
            }
            // What a person says in its place is held to the same contract.
            Err(why) => self.workshop.broken(&why).with_output(contract),
        }
    }
}

impl Directory for Thinkers {
    fn find(&self, name: &str) -> Option<Agent> {
        let name = AgentName::from(name);
        Some(self.thinker(name.plain(), name.model()?))
    }
}

/// The definition of a built-in agent that asks a model. No person is asked if the model fails: the
/// agent can work without it.
fn asking(name: &str, model: &str) -> Result<Definition, String> {
    if model == "bridge" {
        return Err(format!(
            "{name} needs a model whose answer it can check, and `bridge` is not a model"
        ));
    }
    let text = toml::to_string(&json!({
        "name": name,
        "effect": "pure",
        "timeout_seconds": 120,
        "contract": { "output": format!("envelope/output.{name}") },
        "model": { "name": model, "prompt": "{{input.prompt}}", "repair": ["local", "ask_again"] },
    }));
    let text = text.map_err(|cause| cause.to_string())?;
    Definition::read(&text, Path::new("/built-in.toml")).map_err(|faults| faults.to_string())
}

#[cfg(test)]
mod tests {
    use consign_engine::OutputContract;

    use super::*;

    #[test]
    fn each_built_in_agent_is_held_to_the_contract_of_its_name() {
        let all = stage_agents(Agents::default());
        for name in agents::all().iter().map(|agent| agent.name()) {
            let output = all.get(name).expect("it is built in").output;
            let contract = match &output {
                Some(OutputContract::Published(contract)) => Some(contract.name.to_owned()),
                Some(OutputContract::Own(_)) | None => None,
            };
            assert_eq!(contract, Some(format!("envelope/output.{name}")));
        }
    }
}
