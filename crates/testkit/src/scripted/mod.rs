//! Scripted agents, and an outside world that records what they did.
//!
//! ```ignore
//! let flaky = Scripted::new([Act::fails(Fault::transient("BUSY", "later")), Act::answers("1")]);
//! let dear = Scripted::echo().kind(Effect::Unsafe).at_worst(usd(5)).each(|act| act.costs(usd(2)));
//! ```
//!
//! The n-th attempt gets the n-th act, and the last act is repeated. Acts for a key count the
//! attempts of that key alone, so that they mean the same whatever else goes on and however often
//! a process died.

mod act;
mod outside;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_contracts::schema::Schema;
use consign_engine::{
    Agent, Attempt, Bridged, Data, Effect, Failure, Invoker, Nanos, Order, Probe, Quote, Reply,
    Settings,
};

pub use self::{
    act::{Act, usd},
    outside::Outside,
};
use crate::draft::json;

/// An agent by its script.
#[derive(Clone)]
pub struct Scripted {
    effect: Effect,
    timeout: Duration,
    input: Option<Arc<Schema>>,
    output: Option<Arc<Schema>>,
    worst: Option<Nanos>,
    acts: Vec<Act>,
    by_key: BTreeMap<String, Vec<Act>>,
    probing: Probing,
    bridged: Option<Bridged>,
}

/// What the other side says when it is asked what became of an attempt.
#[derive(Clone)]
enum Probing {
    /// What is true.
    Honest,
    Says(Probe),
    /// Nothing at all, for ever.
    Silent,
}

impl Scripted {
    /// Does one act after the other. It touches nothing and costs nothing unless told otherwise.
    #[must_use]
    pub fn new(acts: impl IntoIterator<Item = Act>) -> Self {
        Self {
            effect: Effect::Pure,
            timeout: Duration::from_secs(600),
            input: None,
            output: None,
            worst: Some(Nanos::ZERO),
            acts: acts.into_iter().collect(),
            by_key: BTreeMap::new(),
            probing: Probing::Says(Probe::Unknown),
            bridged: None,
        }
    }

    /// Gives one answer after the other, in JSON.
    #[must_use]
    pub fn answers<'a>(answers: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(answers.into_iter().map(Act::answers))
    }

    /// Nobody is called: somebody outside answers, as this JSON Schema says.
    #[must_use]
    pub fn bridged(schema: &str, deadline: Option<Duration>) -> Self {
        let prompt = "Somebody outside is to answer.".to_owned();
        let bridged = Some(Bridged { prompt, schema: json(schema), deadline });
        Self { bridged, ..Self::new([]) }
    }

    /// Answers with what it was given.
    #[must_use]
    pub fn echo() -> Self {
        Self::new([Act::echoes()])
    }

    /// What its attempts at this key do.
    #[must_use]
    pub fn for_key(mut self, key: &str, acts: impl IntoIterator<Item = Act>) -> Self {
        self.by_key.insert(key.to_owned(), acts.into_iter().collect());
        self
    }

    /// Changes every act so far.
    #[must_use]
    pub fn each(mut self, change: impl Fn(Act) -> Act) -> Self {
        let by_key = self.by_key.values_mut().flatten();
        for act in self.acts.iter_mut().chain(by_key) {
            *act = change(act.clone());
        }
        self
    }

    #[must_use]
    pub fn kind(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The most that an attempt says it can cost.
    #[must_use]
    pub fn at_worst(mut self, worst: Nanos) -> Self {
        self.worst = Some(worst);
        self
    }

    /// It cannot say what it costs.
    #[must_use]
    pub fn unmetered(mut self) -> Self {
        self.worst = None;
        self
    }

    /// The contract of what it is given, as a JSON Schema.
    #[must_use]
    pub fn takes(mut self, schema: &str) -> Self {
        self.input = Some(compiled(schema));
        self
    }

    /// The contract of what it gives, as a JSON Schema.
    #[must_use]
    pub fn gives(mut self, schema: &str) -> Self {
        self.output = Some(compiled(schema));
        self
    }

    /// The other side tells the truth about attempts.
    #[must_use]
    pub fn probed_honestly(mut self) -> Self {
        self.probing = Probing::Honest;
        self
    }

    /// The other side says this of every attempt.
    #[must_use]
    pub fn probed(mut self, says: Probe) -> Self {
        self.probing = Probing::Says(says);
        self
    }

    /// The other side never says what became of an attempt.
    #[must_use]
    pub fn probed_in_vain(mut self) -> Self {
        self.probing = Probing::Silent;
        self
    }

    /// As an agent whose effects are felt outside.
    #[must_use]
    pub fn agent(&self, name: &str, outside: &Outside) -> Agent {
        let actor = Actor { name: name.to_owned(), script: self.clone(), outside: outside.clone() };
        let (input, output) = (self.input.clone(), self.output.clone().map(Into::into));
        let (effect, timeout) = (self.effect, self.timeout);
        Agent { effect, timeout, input, output, invoker: Arc::new(actor) }
    }

    /// What the attempt does of which there were so many before.
    fn act(&self, key: &str, before: usize) -> Option<&Act> {
        let acts = self.by_key.get(key).unwrap_or(&self.acts);
        acts.get(before).or(acts.last())
    }
}

fn compiled(schema: &str) -> Arc<Schema> {
    let schema = json(schema);
    Arc::new(
        Schema::compile(&schema.tree().expect("a test writes JSON"))
            .expect("a test writes a schema"),
    )
}

struct Actor {
    name: String,
    script: Scripted,
    outside: Outside,
}

impl Actor {
    async fn perform(&self, act: &Act, attempt: &Attempt) -> Result<Reply, Failure> {
        if !act.delays(attempt).await {
            return Err(act.stopped(self.script.effect));
        }
        let keyed = self.script.effect == Effect::Keyed;
        let key = attempt.idempotency_key();
        if let Some(reply) = self.outside.reply(&key).filter(|_| keyed) {
            return Ok(reply);
        }
        if act.has_effect() {
            self.outside.affect(&key, act.reply(&attempt.input));
        }
        act.ends(&attempt.input)
    }
}

#[async_trait]
impl Invoker for Actor {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        self.script.worst
    }

    fn quote(&self, _order: &Order<'_>) -> Quote {
        Quote { cost: self.script.worst, ..Quote::default() }
    }

    fn bridge(&self, _input: &Data, _settings: &Settings) -> Option<Bridged> {
        self.script.bridged.clone()
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let own = self.script.by_key.contains_key(attempt.key.as_str());
        let before = self.outside.begin(&self.name, &attempt, own);
        let act = self.script.act(attempt.key.as_str(), before);
        let act = act.expect("a script has at least one act");
        self.perform(act, &attempt).await
    }

    async fn probe(&self, attempt: Attempt) -> Probe {
        self.outside.asked(&attempt);
        match &self.script.probing {
            Probing::Says(probe) => probe.clone(),
            Probing::Silent => std::future::pending().await,
            Probing::Honest => match self.outside.reply(&attempt.idempotency_key()) {
                Some(reply) => Probe::Done(reply),
                None => Probe::NotDone,
            },
        }
    }
}
