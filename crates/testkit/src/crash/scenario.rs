//! A scenario: a story that must end the same way however often its processes die.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use consign_engine::{
    AskKind, Data, Engine, Error, Fork, ForkAt, Key, Limits, Nanos, Placement, RunId, Speaker,
    Status,
    store::{Interaction, Row},
};

use super::forks::origin;
use crate::{
    draft::json,
    programs::{Order, Programs},
    scripted::{Outside, Scripted},
    world::{Foreground, Setting, World},
};

/// No call may cost more than this.
const DEAREST: Nanos = Nanos::new(5_000_000_000);

/// Runs, agents, and a person who answers truthfully.
#[derive(Clone)]
pub struct Scenario {
    pub(super) name: String,
    agents: BTreeMap<String, Scripted>,
    pub(super) orders: Vec<Order>,
    answers: BTreeMap<String, String>,
    /// Asks that are answered in forks only.
    left: BTreeSet<String>,
    wishes: Vec<(usize, String, Wish)>,
    forks: Vec<Second>,
    cap: Option<Nanos>,
    /// How the first run ends.
    pub(super) end: Option<String>,
}

/// What a person may want of a run.
#[derive(Clone, Debug)]
pub enum Wish {
    Cancel,
    Advise(String),
    /// The signal `note`, with this text.
    Signal(String),
}

/// A run that is forked from another one.
#[derive(Clone, Debug)]
struct Second {
    of: usize,
    after: String,
    at: ForkAt,
    id: RunId,
    answers: BTreeMap<String, String>,
}

impl Scenario {
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            agents: BTreeMap::new(),
            orders: Vec::new(),
            answers: BTreeMap::new(),
            left: BTreeSet::new(),
            wishes: Vec::new(),
            forks: Vec::new(),
            cap: None,
            end: None,
        }
    }

    #[must_use]
    pub fn agent(mut self, name: &str, agent: Scripted) -> Self {
        self.agents.insert(name.to_owned(), agent);
        self
    }

    #[must_use]
    pub fn order(mut self, order: impl Into<Order>) -> Self {
        self.orders.push(order.into());
        self
    }

    /// What the person answers to an ask, in JSON; `true` to those that are not named here.
    #[must_use]
    pub fn answer(mut self, key: &str, value: &str) -> Self {
        self.answers.insert(key.to_owned(), value.to_owned());
        self
    }

    /// An ask that the person answers in forks only.
    #[must_use]
    pub fn leave(mut self, key: &str) -> Self {
        self.left.insert(key.to_owned());
        self
    }

    /// What the person wants of the n-th run once this event is in its journal.
    #[must_use]
    pub fn when(mut self, order: usize, event: &str, wish: Wish) -> Self {
        self.wishes.push((order, event.to_owned(), wish));
        self
    }

    /// The n-th run is forked there once this event is in its journal. In the fork, these asks get these answers.
    #[must_use]
    pub fn fork(mut self, of: usize, after: &str, at: ForkAt, answers: &[(&str, &str)]) -> Self {
        let id = RunId::new(format!("second-{}", self.forks.len()));
        let answers = answers.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let answers = answers.collect();
        self.forks.push(Second { of, after: after.to_owned(), at, id, answers });
        self
    }

    /// What Ada may spend over all runs at first. She gets more when she asks for it.
    #[must_use]
    pub fn cap(mut self, cap: Nanos) -> Self {
        self.cap = Some(cap);
        self
    }

    /// The first run succeeds with this output.
    #[must_use]
    pub fn gives(mut self, output: &str) -> Self {
        self.end = Some(format!("succeeded: {:?}", json(output)));
        self
    }

    pub(super) fn setting(&self, setting: Setting) -> Setting {
        let setting = setting.workflow(Programs::default().marking());
        let agents = self.agents.iter();
        agents.fold(setting, |setting, (name, agent)| setting.agent(name, agent.clone()))
    }

    /// The person looks at everything once, and does what there is to do. Says whether all is over.
    /// It may be cut off anywhere and begun again.
    pub(super) async fn attend(&self, world: &World, engine: &Arc<Engine>) -> bool {
        if let Some(cap) = self.cap
            && world.account("ada").await.cap.is_none()
        {
            taken(engine.store().set_cap(&"ada".into(), Some(cap)).await.map_err(Error::from));
        }
        // Runs are submitted in order, so their number says which are still to come.
        let submitted = self.first_runs(world).await.len();
        for order in self.orders.iter().skip(submitted) {
            if order.is_for_commands() {
                begin(world, engine, order).await;
            } else {
                taken(engine.submit(order.clone().submission()).await.map(|_| ()));
            }
        }
        for row in world.rows().await.into_iter().filter(|row| row.interrupted) {
            let command = Foreground::start(engine, world.audit().clone()).await;
            let _ = command.take(&row.id).await;
        }
        for ask in world.inbox().await {
            self.answer_ask(world, engine, &ask).await;
        }
        let rows = self.first_runs(world).await;
        for (order, event, wish) in &self.wishes {
            if let Some(row) = rows.get(*order).filter(|row| !row.status.is_closed()) {
                wish_for(world, engine, &row.id, event, wish).await;
            }
        }
        for second in &self.forks {
            if let Some(row) = rows.get(second.of) {
                second.make(world, engine, &row.id).await;
            }
        }
        let rows = world.rows().await;
        rows.len() == self.orders.len() + self.forks.len()
            && rows.iter().all(|row| row.status.is_closed())
    }

    /// The runs that are no forks, oldest first.
    async fn first_runs(&self, world: &World) -> Vec<Row> {
        let mut rows = world.rows().await;
        rows.retain(|row| self.forks.iter().all(|second| second.id != row.id));
        rows.reverse();
        rows
    }

    async fn answer_ask(&self, world: &World, engine: &Engine, ask: &Interaction) {
        let (run, key) = (&ask.run, &ask.key);
        if ask.kind == AskKind::Limit && ask.prompt.contains("over all runs") {
            let account = world.account("ada").await;
            // A run that is not waiting any more, or not yet, has not seen the last cap.
            if world.status(run).await == Status::Waiting {
                let cap = account.cap.max(Some(account.spent + account.reserved + DEAREST));
                taken(engine.store().set_cap(&"ada".into(), cap).await.map_err(Error::from));
            }
            return;
        }
        if ask.kind == AskKind::Limit {
            let limits = raised(world, run).await;
            taken(engine.raise(run, &limits, &ada()).await);
            return;
        }
        let second = self.forks.iter().find(|second| second.id == *run);
        if second.is_none() && self.left.contains(key.as_str()) {
            return;
        }
        let answers = second.map_or(&self.answers, |second| &second.answers);
        let value = match key.asks_outcome_of() {
            Some((of, _)) => {
                let origin = origin(&world.journal(run).await, run, &of);
                truth(world.outside(), &origin, &of)
            }
            None => json(answers.get(key.as_str()).map_or("true", String::as_str)),
        };
        taken(engine.answer(run, key, &value, &ada()).await);
    }
}

impl Second {
    /// Makes the fork, once there is reason to. The same under the same name is made once.
    async fn make(&self, world: &World, engine: &Engine, parent: &RunId) {
        if !world.history(parent).await.contains(&self.after) {
            return;
        }
        let fork = Fork {
            parent: parent.clone(),
            at: self.at.clone(),
            id: Some(self.id.clone()),
            limits: Limits::default(),
            placement: Placement::Anywhere,
            settings: None,
            input: None,
            repeat_unsafe: true,
            by: ada(),
        };
        let made = engine.fork(fork).await;
        assert!(made.is_ok(), "a person could not fork {parent}: {made:?}");
    }
}

/// A command begins a run, drives it until it waits, and is gone.
async fn begin(world: &World, engine: &Arc<Engine>, order: &Order) {
    let command = Foreground::start(engine, world.audit().clone()).await;
    let begun = command.try_begin(order.clone()).await;
    let (_, drive) = begun.unwrap_or_else(|error| panic!("a person met with {error}"));
    let left = command.attend(drive).await;
    assert!(left.is_ok(), "a command met with {left:?}");
}

async fn wish_for(world: &World, engine: &Engine, run: &RunId, event: &str, wish: &Wish) {
    let history = world.history(run).await;
    let granted = match wish {
        Wish::Cancel => history.contains("cancel_requested"),
        Wish::Advise(_) => history.contains("advised"),
        Wish::Signal(text) => history.contains(&format!("signalled note {text:?}")),
    };
    if !history.contains(event) || granted {
        return;
    }
    match wish {
        Wish::Cancel => taken(engine.cancel(run, None, &ada()).await),
        Wish::Advise(text) => taken(engine.advise(run, text, &ada()).await),
        Wish::Signal(text) => {
            taken(engine.signal(run, "note", &Data::of(text), &ada()).await);
        }
    }
}

/// More of everything that the run has a limit on.
async fn raised(world: &World, run: &RunId) -> Limits {
    use consign_engine::journal::Body;
    let journal = world.journal(run).await;
    let limits = journal.iter().rev().find_map(|record| match record.body() {
        Ok(Some(Body::Raised(raised))) => Some(raised.limits),
        Ok(Some(Body::Created(created))) => Some(created.limits),
        Ok(_) | Err(_) => None,
    });
    let limits = limits.expect("a journal begins with the limits");
    Limits {
        cost: limits.cost.map(|cost| cost + cost),
        calls: limits.calls.map(|calls| calls * 2),
        active: limits.active.map(|active| active * 2),
    }
}

/// What became of a call, as it can be seen out there.
fn truth(outside: &Outside, run: &RunId, key: &Key) -> Data {
    match outside.reply(&format!("{run}:{key}")) {
        Some(reply) => Data::of(&serde_json::json!({
            "outcome": "done",
            "output": serde_json::from_str::<serde_json::Value>(reply.output.as_str())
                .expect("an output is JSON"),
        })),
        None => json(r#"{"outcome":"not_done"}"#),
    }
}

/// Something was done, or was no longer to be done: both are fine with a person who may be late.
fn taken(done: Result<(), Error>) {
    match done {
        Ok(()) | Err(Error::Fault(_)) => {}
        Err(error) => panic!("a person met with {error}"),
    }
}

fn ada() -> Speaker {
    Speaker::person("ada")
}
