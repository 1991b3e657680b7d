//! The agents of a turn, for an engine: the guard, the memory, the tailor, the verifier and what keeps the turn.

mod guard;
mod memory;
mod passages;
mod saver;
mod scripted;
mod tailor;
mod verifier;

use std::{sync::Arc, time::Duration};

use consign_contracts::{
    crew::{GuardrailsOutput, MemoryOutput, TailorOutput},
    wire::Message,
};
use consign_engine::{Agent, Agents, Effect, Failure, Fault, Nanos};
use consign_guard::Guard;
use consign_invokers::define::Workshop;
use consign_knowledge::{Search, conversation::Conversations};

use self::scripted::MaybeScripted;
use crate::{Library, agents::MEMORY};

/// Judges what comes in and what goes out: contract `crew/guardrails.input` to `crew/guardrails.output`.
pub const GUARDRAILS: &str = "guardrails";
/// Writes the answer: contract `crew/tailor.input` to `crew/tailor.output`.
pub const TAILOR: &str = "tailor";
/// Holds an answer against the passages and the stored texts.
pub(crate) const VERIFIER: &str = "turn/verify";
/// Keeps the turn.
pub(crate) const SAVER: &str = "turn/save";

/// Whether an agent works in turns.
pub(crate) fn is_agent(name: &str) -> bool {
    [GUARDRAILS, TAILOR, VERIFIER, SAVER].contains(&name)
}

/// How long an agent may take, each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    pub guard: Duration,
    pub memory: Duration,
    pub tailor: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            guard: Duration::from_secs(5),
            memory: Duration::from_secs(10),
            tailor: Duration::from_secs(120),
        }
    }
}

/// What the agents of a turn work on, composed by the caller.
#[derive(Clone)]
pub struct Turns {
    pub library: Arc<Library>,
    /// Gives what searches, as it is now.
    pub search: Arc<dyn Fn() -> Search + Send + Sync>,
    pub conversations: Arc<dyn Conversations>,
    pub guard: Arc<Guard>,
    pub timeouts: Timeouts,
}

/// Adds the agents of a turn to those that there are.
#[must_use]
pub fn turn_agents(agents: Agents, turns: &Arc<Turns>, workshop: &Workshop) -> Agents {
    let Timeouts { guard: _, memory, tailor } = turns.timeouts;
    let named =
        |name: &'static str, agent: Agent| (name, MaybeScripted::wrap(name, agent, workshop));
    let all = [
        named(GUARDRAILS, guard_agent(turns)),
        named(
            MEMORY,
            Agent::new(Effect::Pure, memory::MemoryAgent(turns.clone()))
                .with_timeout(memory)
                .with_output(MemoryOutput::contract()),
        ),
        named(
            TAILOR,
            Agent::new(Effect::Pure, tailor::TailorAgent::new(turns.clone(), workshop.clone()))
                .with_timeout(tailor)
                .with_output(TailorOutput::contract()),
        ),
        (
            VERIFIER,
            Agent::new(Effect::Pure, verifier::VerifierAgent(turns.clone())).with_timeout(tailor),
        ),
        (SAVER, Agent::new(Effect::Idempotent, saver::SaverAgent(turns.clone()))),
    ];
    all.into_iter().fold(agents, |agents, (name, agent)| agents.with(name, agent))
}

/// The guard, as it is called before a run too.
#[must_use]
pub fn guard_agent(turns: &Arc<Turns>) -> Agent {
    Agent::new(Effect::Pure, guard::GuardAgent(turns.guard.clone()))
        .with_timeout(turns.timeouts.guard)
        .with_output(GuardrailsOutput::contract())
}

/// A step that failed and cost nothing.
fn failure(fault: Fault) -> Failure {
    Failure::new(fault, Some(Nanos::ZERO))
}

fn broken(why: impl std::fmt::Display) -> Failure {
    failure(Fault::permanent("INVALID_INPUT", format!("what the step is given: {why}")))
}

fn store_failed(error: &consign_knowledge::Error) -> Failure {
    failure(Fault::transient("DATABASE_ERROR", error.to_string()))
}
