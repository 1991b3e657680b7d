//! Agents: what a call reaches, under which contract, and what a second call would do.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_contracts::schema::Schema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::{AgentName, Bound, Data, Fault, Key, Nanos, OutputContract, Owner, RunId, Says};

/// What calling an agent a second time would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing: it touches nothing.
    Pure,
    /// Nothing more than the first call did.
    Idempotent,
    /// Nothing, as long as it comes with the same key; and the agent can be asked what became of an
    /// attempt.
    Keyed,
    /// Harm. When it is unknown whether it happened, a person is asked.
    Unsafe,
}

/// What a call reaches: an invoker with its contract, its timeout and its effect.
#[derive(Clone)]
pub struct Agent {
    pub effect: Effect,
    /// How long one attempt may take.
    pub timeout: Duration,
    pub input: Option<Arc<Schema>>,
    pub output: Option<OutputContract>,
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

    /// Sets the contracts of its input and its output.
    #[must_use]
    pub fn with_contract(mut self, input: Option<Schema>, output: Option<Schema>) -> Self {
        self.input = input.map(Arc::new);
        self.output = output.map(OutputContract::from);
        self
    }

    /// Sets the contract of its output.
    #[must_use]
    pub fn with_output(mut self, output: impl Into<OutputContract>) -> Self {
        self.output = Some(output.into());
        self
    }
}

/// How an agent is reached.
#[async_trait]
pub trait Invoker: Send + Sync {
    /// The most that one attempt can cost. `None` is unmetered: nothing can be reserved for it.
    fn worst_case(&self, input: &Data) -> Option<Nanos>;

    /// The most that the attempt about to begin can cost, with what the journal keeps of the estimate.
    fn quote(&self, order: &Order<'_>) -> Quote {
        Quote { cost: self.worst_case(order.input), ..Quote::default() }
    }

    /// The most that a whole call can cost and how many attempts it can make, hand-overs included.
    fn bound(&self, input: &Data, _settings: &Settings, tries: u32) -> Bound {
        let cost = self.worst_case(input).map(|cost| cost.times(u64::from(tries)));
        Bound { cost, calls: Some(u64::from(tries)) }
    }

    /// What is asked from outside instead of a call. `None` if the agent is called.
    fn bridge(&self, _input: &Data, _settings: &Settings) -> Option<Bridged> {
        None
    }

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
    /// The run under whose name the call was first made: another one, where this run was forked from it.
    pub origin: RunId,
    pub key: Key,
    /// Counts from 1.
    pub number: u32,
    pub agent: AgentName,
    pub owner: Owner,
    pub input: Data,
    pub settings: Settings,
    /// What the attempt before this one left for it.
    pub handed: Option<Data>,
    /// Whether this is the last try: after a transient failure there is no other.
    pub last: bool,
    /// How many attempts the run began before this one.
    pub before: u64,
    /// The agents of those attempts, in order, for a call without a run: no journal has them.
    pub earlier: Option<Arc<[AgentName]>>,
    /// Where text goes that comes before the result does.
    pub says: Says,
    pub(crate) halt: watch::Receiver<Halt>,
}

/// An attempt that is about to begin.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    pub input: &'a Data,
    pub settings: &'a Settings,
    /// What the attempt before this one left for it.
    pub handed: Option<&'a Data>,
}

/// What an attempt can cost at most, and how that was worked out.
#[derive(Clone, Debug, Default)]
pub struct Quote {
    /// `None` is unmetered: a service may charge for it, and how much is not known. Nothing can be reserved then, and it
    /// begins only while anything at all is left.
    pub cost: Option<Nanos>,
    pub note: Option<Data>,
    /// It begins only while anything at all is left, also if it is free.
    pub wants_room: bool,
}

impl Quote {
    /// A quote for work that costs this much at most.
    #[must_use]
    pub fn of(cost: Nanos) -> Self {
        Self { cost: Some(cost), ..Self::default() }
    }

    /// What there has to be room for.
    pub(crate) fn needs(&self) -> Option<Nanos> {
        let least = if self.wants_room { Nanos::new(1) } else { Nanos::ZERO };
        self.cost.map(|cost| cost.max(least))
    }
}

/// The question that is put to the inbox instead of a call.
#[derive(Clone, Debug)]
pub struct Bridged {
    pub prompt: String,
    /// The JSON Schema of the answer, which is the output of the call.
    pub schema: Data,
    /// How long to wait.
    pub deadline: Option<Duration>,
}

/// How the agents of a run are reached, where that is not as usual: the engine keeps it with the run
/// and hands it to the invokers, which know what it means.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Settings(pub Option<Data>);

impl Settings {
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

/// Whether an attempt is to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    GoOn,
    /// The workflow no longer wants its result.
    Unwanted,
    /// The run has worked for as long as it may.
    TimeUp,
    /// The caller no longer waits for it to stop.
    Left,
}

impl Attempt {
    /// The key by which the other side recognizes a repeat. All attempts of a call have one key, in forks
    /// too.
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        format!("{}:{}", self.origin, self.key)
    }

    /// Returns when the attempt is no longer wanted.
    pub async fn cancelled(&self) {
        self.halted().await;
    }

    pub(crate) async fn halted(&self) -> Halt {
        self.told(|halt| *halt != Halt::GoOn).await
    }

    /// Returns when the caller no longer waits for the attempt to stop.
    pub(crate) async fn left(&self) {
        self.told(|halt| *halt == Halt::Left).await;
    }

    async fn told(&self, what: impl FnMut(&Halt) -> bool) -> Halt {
        let mut halt = self.halt.clone();
        let told = halt.wait_for(what).await.map(|halt| *halt);
        match told {
            Ok(halt) => halt,
            // The sender is gone, so the attempt can no longer be stopped.
            Err(_) => std::future::pending().await,
        }
    }
}

/// A result and what it cost.
#[derive(Clone, Debug)]
pub struct Reply {
    pub output: Data,
    pub cost: Nanos,
    /// What the journal keeps besides: what was used, mended, or fallen back to.
    pub note: Option<Data>,
}

impl Reply {
    #[must_use]
    pub fn new(output: Data, cost: Nanos) -> Self {
        Self { output, cost, note: None }
    }

    #[must_use]
    pub fn with_note(mut self, note: Data) -> Self {
        self.note = Some(note);
        self
    }
}

/// No result, and what that cost; `None` if the cost is not known.
#[derive(Clone, Debug)]
pub struct Failure {
    pub fault: Fault,
    pub cost: Option<Nanos>,
    /// What the journal keeps besides.
    pub note: Option<Data>,
    pub onward: Onward,
}

/// What follows from a failure.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Onward {
    /// What the class of the fault says.
    #[default]
    ByClass,
    /// Another attempt at once, which is given this. It does not count as a try, and the tries
    /// begin anew.
    HandOver(Data),
    /// A person is asked what the result is, or whether to begin again.
    Refer,
}

impl Failure {
    #[must_use]
    pub fn new(fault: Fault, cost: Option<Nanos>) -> Self {
        Self { fault, cost, note: None, onward: Onward::ByClass }
    }

    #[must_use]
    pub fn with_note(mut self, note: Data) -> Self {
        self.note = Some(note);
        self
    }

    #[must_use]
    pub fn onward(mut self, onward: Onward) -> Self {
        self.onward = onward;
        self
    }
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
pub struct Agents {
    known: Arc<BTreeMap<Arc<str>, Agent>>,
    others: Option<Arc<dyn Directory>>,
}

/// The port to agents that are defined outside of the program: they may come and go while it runs.
pub trait Directory: Send + Sync {
    fn find(&self, name: &str) -> Option<Agent>;
}

impl Agents {
    #[must_use]
    pub fn with(mut self, name: impl Into<Arc<str>>, agent: Agent) -> Self {
        Arc::make_mut(&mut self.known).insert(name.into(), agent);
        self
    }

    /// Adds a directory in which agents are looked up that are not registered here.
    #[must_use]
    pub fn and(mut self, others: Arc<dyn Directory>) -> Self {
        self.others = Some(others);
        self
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<Agent> {
        let known = self.known.get(name).cloned();
        known.or_else(|| self.others.as_ref()?.find(name))
    }

    /// The agents that are registered here, without those of the directory.
    pub fn known(&self) -> impl Iterator<Item = (&Arc<str>, &Agent)> {
        self.known.iter()
    }
}
