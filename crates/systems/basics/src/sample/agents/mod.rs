//! The agents that the samples call.

pub(super) mod append;
pub(super) mod echo;
mod nap;
pub(super) mod paid;
mod terms;

use consign_engine::Agents;

#[must_use]
pub fn agents() -> Agents {
    let agents = Agents::default().with(echo::NAME, echo::agent()).with(paid::NAME, paid::agent());
    append::agents().into_iter().fold(agents, |agents, (name, agent)| agents.with(name, agent))
}
