//! The two agents of the bridge, as a mirror calls them: nobody is called, whoever is outside answers.

use async_trait::async_trait;
use consign_contracts::bridge;
use consign_engine::{
    Agent, AgentName, Agents, Attempt, Bound, Bridged, Data, Effect, Failure, Fault, Invoker,
    Nanos, Reply, Settings,
};

use super::Pending;

/// The pin of these agents: a home may define an agent of the same name, and that one is another.
pub const PIN: &str = "bridge";

/// The agents of the bridge, besides those that there are.
#[must_use]
pub fn agents(agents: Agents) -> Agents {
    bridge::AgentName::ALL.iter().fold(agents, |agents, name| {
        let name = AgentName::pinned(name.as_str(), PIN);
        agents.with(name.to_string(), Agent::new(Effect::Pure, Outside))
    })
}

/// Somebody who reads the project's folder, the inbox or neither.
struct Outside;

#[async_trait]
impl Invoker for Outside {
    /// What an answer costs whoever gives it is not ours to hold back: a mirror shows what the file says,
    /// and must not stop for want of money.
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    fn bound(&self, _input: &Data, _settings: &Settings, _tries: u32) -> Bound {
        Bound { cost: Some(Nanos::ZERO), calls: Some(1) }
    }

    /// There is no deadline: whoever has the files decides about time when it goes on.
    fn bridge(&self, input: &Data, _settings: &Settings) -> Option<Bridged> {
        let asked = input.to::<Pending>().ok()?;
        Some(Bridged { prompt: asked.prompt, schema: asked.schema, deadline: None })
    }

    async fn invoke(&self, _attempt: Attempt) -> Result<Reply, Failure> {
        let fault = Fault::permanent("NOT_CALLED", "somebody outside answers this");
        Err(Failure::new(fault, Some(Nanos::ZERO)))
    }
}
