//! Agents: who can be called, under which contract, and what a second call would do.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_contracts::schema::Schema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::{Data, Fault, Key, Nanos, RunId};

/// What calling an agent a second time would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing: it touches nothing.
    Pure,
    /// Nothing more than the first call did.
    Idempotent,
    /// Nothing, as long as it comes with the same key; and the other side may be asked.
    Keyed,
    /// Harm. When nobody knows whether it happened, a person is asked.
    Unsafe,
}

/// Somebody who can be called.
#[derive(Clone)]
pub struct Agent {
    pub effect: Effect,
    /// How long one attempt may take.
    pub timeout: Duration,
    pub input: Option<Arc<Schema>>,
    pub output: Option<Arc<Schema>>,
    pub invoker: Arc<dyn Invoker>,
}

impl Agent {
    #[must_use]
    pub fn new(effect: Effect, invoker: impl Invoker + 'static) -> Self {
        let timeout = Duration::from_secs(600);
        Self { effect, timeout, input: None, output: None, invoker: Arc::new(invoker) }
    }

    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The contract of what it is given and gives.
    #[must_use]
    pub fn with_contract(mut self, input: Option<Schema>, output: Option<Schema>) -> Self {
        self.input = input.map(Arc::new);
        self.output = output.map(Arc::new);
        self
    }
}

/// How an agent is reached.
#[async_trait]
pub trait Invoker: Send + Sync {
    /// The most that one attempt can cost. `None` is unmetered: nothing can be reserved for it.
    fn worst_case(&self, input: &Data) -> Option<Nanos>;

    /// One attempt. It must watch [`Attempt::cancelled`], and may be dropped ten seconds after.
    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure>;

    /// Asks the other side what became of an attempt. Only for [`Effect::Keyed`].
    async fn probe(&self, _attempt: Attempt) -> Probe {
        Probe::Unknown
    }
}

/// One try of a call.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub run: RunId,
    pub key: Key,
    /// Counts from 1.
    pub number: u32,
    pub input: Data,
    pub(crate) halt: watch::Receiver<Halt>,
}

/// Whether an attempt is to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    GoOn,
    /// Nobody wants its result any more.
    Unwanted,
    /// The run has worked for as long as it may.
    TimeUp,
}

impl Attempt {
    /// What the other side tells repeats by: the same for every attempt of a call.
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        format!("{}:{}", self.run, self.key)
    }

    /// Comes back when the attempt is no longer wanted.
    pub async fn cancelled(&self) {
        self.halted().await;
    }

    pub(crate) async fn halted(&self) -> Halt {
        let mut halt = self.halt.clone();
        let told = halt.wait_for(|halt| *halt != Halt::GoOn).await.map(|halt| *halt);
        match told {
            Ok(halt) => halt,
            // Nobody is left who could stop it.
            Err(_) => std::future::pending().await,
        }
    }
}

/// A result and what it cost.
#[derive(Clone, Debug)]
pub struct Reply {
    pub output: Data,
    pub cost: Nanos,
}

/// No result, and what that cost; `None` if nobody can tell.
#[derive(Clone, Debug)]
pub struct Failure {
    pub fault: Fault,
    pub cost: Option<Nanos>,
}

/// What became of an attempt.
#[derive(Clone, Debug)]
pub enum Probe {
    Done(Reply),
    NotDone,
    Unknown,
}

/// The agents of this process, by name.
#[derive(Clone, Default)]
pub struct Agents(BTreeMap<Arc<str>, Agent>);

impl Agents {
    #[must_use]
    pub fn with(mut self, name: impl Into<Arc<str>>, agent: Agent) -> Self {
        self.0.insert(name.into(), agent);
        self
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Agent> {
        self.0.get(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(AsRef::as_ref)
    }
}
