//! The agents of supervised jobs, for a home: the roles, and the steps on the workspace.

use std::{path::PathBuf, sync::Arc};

use consign_engine::{Agent, AgentName, Agents, Directory, Effect};

use crate::{
    role::Roles,
    role_agent::{JobKeys, RoleAgent},
    step_agents,
    steps::{ACCEPT, CHECK, CLAIM, JUDGE},
    workflow::{ROLE, UNSAFE_ROLE},
};

/// Adds the steps on the workspace. `launcher` is our own program, which supervises others.
#[must_use]
pub fn agents(to: Agents, roles: &Roles, keys: &Arc<dyn JobKeys>, launcher: PathBuf) -> Agents {
    to.with(CLAIM, step_agents::claim())
        .with(CHECK, step_agents::check(launcher, keys.clone()))
        .with(ACCEPT, step_agents::accept())
        .with(JUDGE, step_agents::judge(keys.clone(), roles.clone()))
}

/// Finds the agents that jobs call by the name of a role.
pub struct RoleDirectory {
    roles: Roles,
    keys: Arc<dyn JobKeys>,
    others: Arc<dyn Directory>,
}

impl RoleDirectory {
    #[must_use]
    pub fn new(roles: Roles, keys: Arc<dyn JobKeys>, others: Arc<dyn Directory>) -> Self {
        Self { roles, keys, others }
    }
}

impl Directory for RoleDirectory {
    fn find(&self, name: &str) -> Option<Agent> {
        let effect = match AgentName::from(name).pin() {
            Some(ROLE) => Effect::Idempotent,
            Some(UNSAFE_ROLE) => Effect::Unsafe,
            Some(_) | None => return self.others.find(name),
        };
        Some(RoleAgent::agent(self.roles.clone(), self.keys.clone(), effect))
    }
}
