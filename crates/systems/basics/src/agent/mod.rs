//! Runs of one agent: `agent/call` with one input, `agent/map` with many at once.

mod call;
mod map;

use consign_engine::{Agents, Workflows};

/// Adds the workflows of this folder, for these agents.
#[must_use]
pub fn workflows(agents: &Agents, to: Workflows) -> Workflows {
    to.with(call::AgentCall::new(agents)).with(map::AgentMap::new(agents))
}

/// The name of the workflow that calls an agent with one input.
pub const CALL: &str = "agent/call";
/// The name of the workflow that calls an agent with many inputs.
pub const MAP: &str = "agent/map";
