//! A world for tests of the engine: a store, processes that come and go, agents by script, a person.
//!
//! ```ignore
//! let world = World::with_agent("writer", Scripted::answers(["\"Dear Ada\""])).await;
//! let run = world.submit(call("letter", "writer")).await;
//! let worker = world.worker().await;
//! world.until_closed(&run).await;
//! assert_eq!(
//!     world.history(&run).await,
//!     "created → call_started letter → call_completed letter → succeeded"
//! );
//! ```
//!
//! Time is tokio's: under `#[tokio::test(start_paused = true)]` hours pass in a moment. An
//! [`Audit`](audit::Audit) records all that happens. A world that is dropped fails its test if something
//! happened that must never happen, or if a dead worker still holds a run.

pub mod audit;
pub mod clock;
mod desk;
mod forger;
mod history;
pub mod hooked;
mod observed;
mod process;
mod setting;
mod trouble;
mod until;

pub(crate) use self::until::Wait;

use std::{sync::Arc, thread};

use consign_engine::{
    Agents, Engine, Error, Parts, RunId, Status, Submitted, Workflows,
    journal::Record,
    store::{Account, Interaction, Row, RunQuery, Store},
};

use self::{
    audit::Audit,
    hooked::{Hook, Hooked},
};
pub use self::{
    desk::refusal,
    forger::Forger,
    history::told,
    observed::Observer,
    process::{Foreground, Process},
    setting::Setting,
    trouble::{Outage, Turnstile},
};
use crate::{
    programs::Order,
    scripted::{Outside, Scripted},
};

pub struct World {
    setting: Setting,
    audit: Arc<Audit>,
    /// A peer to look at things with.
    observer: Arc<dyn Store>,
    /// The engine that a person's wishes go through.
    desk: Arc<Engine>,
}

impl World {
    /// A world with one agent in it.
    #[must_use]
    pub fn with_agent(name: &str, agent: Scripted) -> Setting {
        Setting::new().agent(name, agent)
    }

    pub async fn open(setting: Setting) -> Self {
        let audit = Arc::new(Audit::new(setting.place.open().await));
        let observer = setting.place.open().await;
        let desk = engine(&setting, &audit, &[], &[]).await;
        Self { setting, audit, observer, desk }
    }

    /// The workflows that processes have which are started from now on, and the desk.
    pub async fn deploy(&mut self, workflows: Workflows) {
        self.setting.workflows = workflows;
        self.desk = self.engine(&[], &[]).await;
    }

    /// An engine as a process has it, with more people to watch its store and its agents.
    pub async fn engine(
        &self,
        hooks: &[Arc<dyn Hook>],
        observers: &[Arc<dyn Observer>],
    ) -> Arc<Engine> {
        engine(&self.setting, &self.audit, hooks, observers).await
    }

    /// Starts a process that works.
    pub async fn worker(&self) -> Process {
        self.worker_on(self.engine(&[], &[]).await).await
    }

    /// Starts a process that works, with this engine.
    pub async fn worker_on(&self, engine: Arc<Engine>) -> Process {
        Process::start(engine, self.audit.clone(), self.setting.at_once).await
    }

    /// Starts a command that drives its own runs.
    pub async fn foreground(&self) -> Foreground {
        Foreground::start(&self.engine(&[], &[]).await, self.audit.clone()).await
    }

    /// Submits a run that is not refused.
    pub async fn submit(&self, order: impl Into<Order>) -> RunId {
        self.try_submit(order).await.expect("the run is admitted").run
    }

    pub async fn try_submit(&self, order: impl Into<Order>) -> Result<Submitted, Error> {
        self.desk.submit(order.into().submission()).await
    }

    /// The journal as one line of text.
    pub async fn history(&self, run: &RunId) -> String {
        history::history(&self.journal(run).await)
    }

    pub async fn journal(&self, run: &RunId) -> Vec<Record> {
        let from = consign_engine::Seq(0);
        self.observer.events(run, from, usize::MAX).await.expect("the journal can be read")
    }

    pub async fn row(&self, run: &RunId) -> Row {
        self.observer.row(run).await.expect("the run is there")
    }

    pub async fn status(&self, run: &RunId) -> Status {
        self.row(run).await.status
    }

    /// All runs, newest first.
    pub async fn rows(&self) -> Vec<Row> {
        let query = RunQuery { most: usize::MAX, ..RunQuery::default() };
        self.observer.runs(&query).await.expect("the runs can be read")
    }

    /// What is open in the inbox, oldest first.
    pub async fn inbox(&self) -> Vec<Interaction> {
        let query = consign_engine::store::InboxQuery { most: usize::MAX, ..Default::default() };
        self.observer.inbox(&query).await.expect("the inbox can be read")
    }

    pub async fn account(&self, owner: &str) -> Account {
        self.observer.account(&owner.into()).await.expect("the account can be read")
    }

    /// The keys that an agent was called for, in order.
    #[must_use]
    pub fn calls(&self, agent: &str) -> Vec<String> {
        self.setting.outside.calls(agent)
    }

    #[must_use]
    pub fn outside(&self) -> &Outside {
        &self.setting.outside
    }

    #[must_use]
    pub fn audit(&self) -> &Arc<Audit> {
        &self.audit
    }

    /// The engine that a person's wishes go through.
    #[must_use]
    pub fn desk(&self) -> &Arc<Engine> {
        &self.desk
    }

    #[must_use]
    pub fn clock(&self) -> &clock::FakeClock {
        &self.setting.clock
    }

    #[must_use]
    pub fn observer(&self) -> &Arc<dyn Store> {
        &self.observer
    }
}

async fn engine(
    setting: &Setting,
    audit: &Arc<Audit>,
    hooks: &[Arc<dyn Hook>],
    observers: &[Arc<dyn Observer>],
) -> Arc<Engine> {
    // Who takes part in the making of a crash comes last: the books have to be right by then.
    let mut all: Vec<Arc<dyn Hook>> = vec![audit.clone()];
    all.extend(setting.hooks.iter().chain(hooks).cloned());
    let mut watching: Vec<Arc<dyn Observer>> = vec![audit.clone()];
    watching.extend(observers.iter().cloned());
    let agents = setting.agents.iter().fold(Agents::default(), |agents, (name, script)| {
        let agent = script.agent(name, &setting.outside);
        agents.with(name.as_str(), observed::observed(agent, &watching))
    });
    let agents = setting.others.known().fold(agents, |agents, (name, agent)| {
        agents.with(name.clone(), observed::observed(agent.clone(), &watching))
    });
    let agents = match setting.directory.clone() {
        Some(directory) => agents.and(directory),
        None => agents,
    };
    let parts = Parts {
        store: Arc::new(Hooked::new(setting.place.open().await, all)),
        workflows: setting.workflows.clone(),
        agents,
        clock: Box::new(setting.clock.clone()),
        entropy: Box::new(setting.dice.clone()),
        patience: setting.patience,
    };
    Engine::new(parts).await.expect("the store says what time it is")
}

impl Drop for World {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        let wrongs = self.audit.wrongs();
        assert!(wrongs.is_empty(), "this may never happen:\n{}", wrongs.join("\n"));
        let unattended = self.audit.unattended();
        assert!(unattended.is_empty(), "runs are held by nobody alive: {unattended:?}");
    }
}
