//! The engine of one process: its workflows and agents, on a store.

use std::{sync::Arc, time::Duration};

use crate::{
    Actor, Agents, At, Clock, Data, Entropy, Fault, Limits, Listening, Projection, RunId, Time,
    Usage, WorkerId, Workflows,
    journal::Salt,
    run::Run,
    says::Talk,
    store::{self, Enlisted, Store},
};

pub struct Engine {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) workflows: Workflows,
    pub(crate) agents: Agents,
    pub(crate) time: Time,
    pub(crate) entropy: Box<dyn Entropy>,
    /// How long a store that cannot write just now is waited for.
    pub(crate) patience: Duration,
    pub(crate) talk: Talk,
    pub(crate) projection: Option<Arc<dyn Projection>>,
}

/// The parts of which an engine is made.
pub struct Parts {
    pub store: Arc<dyn Store>,
    pub workflows: Workflows,
    pub agents: Agents,
    pub clock: Box<dyn Clock>,
    pub entropy: Box<dyn Entropy>,
    pub patience: Duration,
}

/// Why something could not be done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// It may not be done, or makes no sense.
    #[error("{0}")]
    Fault(#[from] Fault),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Engine {
    pub async fn new(parts: Parts) -> Result<Arc<Self>, Error> {
        let Parts { store, workflows, agents, clock, entropy, patience } = parts;
        let time = Time::new(clock);
        if let Some(newest) = store.newest().await? {
            time.not_before(newest);
        }
        let (talk, projection) = (Talk::default(), None);
        let engine = Self { store, workflows, agents, time, entropy, patience, talk, projection };
        Ok(Arc::new(engine))
    }

    /// Adds something that is told of every step of its runs. It can only be added before the engine is shared.
    #[must_use]
    pub fn with_projection(mut self: Arc<Self>, projection: Arc<dyn Projection>) -> Arc<Self> {
        if let Some(engine) = Arc::get_mut(&mut self) {
            engine.projection = Some(projection);
        }
        self
    }

    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    #[must_use]
    pub fn workflows(&self) -> &Workflows {
        &self.workflows
    }

    #[must_use]
    pub fn now(&self) -> At {
        self.time.now()
    }

    #[must_use]
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// Listens to what the agents of a run say in this process while they work.
    #[must_use]
    pub fn listen(&self, run: &RunId) -> Listening {
        self.talk.listen(run)
    }

    /// What a run may use, and what it has used.
    pub async fn usage(&self, run: &RunId) -> Result<(Limits, Usage), Error> {
        let frame = Run::load(&self.workflows, &self.store.load(run).await?)?.frame;
        Ok((frame.limits, frame.usage))
    }

    /// The state of a run's workflow, as the workflow writes it.
    pub async fn state(&self, run: &RunId) -> Result<Data, Error> {
        let run = Run::load(&self.workflows, &self.store.load(run).await?)?;
        Ok(run.program?.state())
    }

    /// A run as it stands now: its row, the state and label of its workflow, its limits and usage.
    pub async fn look(&self, run: &RunId) -> Result<Look, Error> {
        let loaded = self.store.load(run).await?;
        let run = Run::load(&self.workflows, &loaded)?;
        let (row, label) = (loaded.row, run.label());
        let state = run.program?.state();
        Ok(Look { row, state, label, limits: run.frame.limits, usage: run.frame.usage })
    }

    /// Registers a worker of this process. Only a registered worker can hold runs.
    pub async fn enlist(self: &Arc<Self>) -> Result<Seat, Error> {
        let worker = WorkerId::from_random(self.random());
        let enlisted = self.store.enlist(&worker).await?;
        let actor = Actor::new(format!("worker:{worker}"));
        Ok(Seat { engine: self.clone(), worker, actor, _enlisted: Arc::from(enlisted) })
    }

    pub(crate) fn new_run_id(&self) -> RunId {
        RunId::from_random(self.random())
    }

    pub(crate) fn salt(&self) -> Salt {
        Salt(self.random())
    }

    fn random<const N: usize>(&self) -> [u8; N] {
        let mut random = [0; N];
        self.entropy.fill(&mut random);
        random
    }
}

/// A run as it stands, folded up to its newest event. The label of its row is as of the last step of its holder; this
/// one is of now.
#[derive(Clone, Debug)]
pub struct Look {
    pub row: store::Row,
    pub state: Data,
    pub label: Option<String>,
    pub limits: Limits,
    pub usage: Usage,
}

/// A registered worker, which counts as alive for as long as this value is kept.
#[derive(Clone)]
pub struct Seat {
    pub(crate) engine: Arc<Engine>,
    pub(crate) worker: WorkerId,
    pub(crate) actor: Actor,
    _enlisted: Arc<dyn Enlisted>,
}

impl Seat {
    #[must_use]
    pub fn worker(&self) -> &WorkerId {
        &self.worker
    }

    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }
}
