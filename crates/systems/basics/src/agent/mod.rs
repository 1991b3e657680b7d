//! Runs of one agent: `agent/call` with one input, `agent/map` with many at once.

mod call;
mod map;

use consign_engine::{Agents, Workflows};

/// The workflows of this folder, for these agents.
#[must_use]
pub fn workflows(agents: &Agents, to: Workflows) -> Workflows {
    to.with(call::AgentCall::new(agents)).with(map::AgentMap::new(agents))
}

/// The names of the workflows, for whoever starts one.
pub const CALL: &str = "agent/call";
pub const MAP: &str = "agent/map";
