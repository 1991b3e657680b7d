//! The settings of a world: its store, agents and workflows.

use std::{
    collections::BTreeMap,
    future::{Future, IntoFuture},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use consign_engine::{Agent, Agents, Directory, Workflow, Workflows, store::Store};

use super::{
    World,
    clock::{Dice, FakeClock},
    hooked::Hook,
};
use crate::{
    conformance::StorePlace,
    memory::MemoryStore,
    programs::Programs,
    scripted::{Outside, Scripted},
};

/// A world in the making. Await it to get the [`World`].
#[derive(Clone)]
pub struct Setting {
    pub(super) place: Arc<dyn StorePlace>,
    pub(super) agents: BTreeMap<String, Scripted>,
    /// Agents that are no scripts.
    pub(super) others: Agents,
    pub(super) directory: Option<Arc<dyn Directory>>,
    pub(super) workflows: Workflows,
    pub(super) hooks: Vec<Arc<dyn Hook>>,
    pub(super) outside: Outside,
    pub(super) clock: FakeClock,
    pub(super) dice: Dice,
    /// How long an engine waits for a store that cannot write.
    pub(super) patience: Duration,
    pub(super) at_once: usize,
}

impl Setting {
    #[must_use]
    pub fn new() -> Self {
        Self {
            place: Arc::new(InMemory(MemoryStore::new())),
            agents: BTreeMap::new(),
            others: Agents::default(),
            directory: None,
            workflows: Workflows::default().with(Programs::default()),
            hooks: Vec::new(),
            outside: Outside::default(),
            clock: FakeClock::new(),
            dice: Dice::new(7),
            patience: Duration::from_secs(5),
            at_once: 64,
        }
    }

    /// An agent that is no script.
    #[must_use]
    pub fn real(mut self, name: &str, agent: Agent) -> Self {
        self.others = self.others.with(name, agent);
        self
    }

    /// Where agents are found that may come and go.
    #[must_use]
    pub fn directory(mut self, directory: Arc<dyn Directory>) -> Self {
        self.directory = Some(directory);
        self
    }

    #[must_use]
    pub fn agent(mut self, name: &str, agent: Scripted) -> Self {
        self.agents.insert(name.to_owned(), agent);
        self
    }

    /// One more workflow, or one more version of one.
    #[must_use]
    pub fn workflow(mut self, workflow: impl Workflow) -> Self {
        self.workflows = self.workflows.with(workflow);
        self
    }

    /// Where runs are kept, if not in memory.
    #[must_use]
    pub fn on(mut self, place: Arc<dyn StorePlace>) -> Self {
        self.place = place;
        self
    }

    /// Where runs are kept.
    #[must_use]
    pub fn place(&self) -> Arc<dyn StorePlace> {
        self.place.clone()
    }

    /// Somebody more to look over the store's shoulder.
    #[must_use]
    pub fn watched_by(mut self, hook: Arc<dyn Hook>) -> Self {
        self.hooks.push(hook);
        self
    }

    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.dice = Dice::new(seed);
        self
    }

    /// How many runs a worker drives side by side.
    #[must_use]
    pub fn at_once(mut self, runs: usize) -> Self {
        self.at_once = runs;
        self
    }
}

impl Default for Setting {
    fn default() -> Self {
        Self::new()
    }
}

impl IntoFuture for Setting {
    type Output = World;
    type IntoFuture = Pin<Box<dyn Future<Output = World> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(World::open(self))
    }
}

/// Peers on one store in memory.
struct InMemory(MemoryStore);

#[async_trait]
impl StorePlace for InMemory {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(self.0.clone())
    }
}
