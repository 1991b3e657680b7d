//! A scenario: a story that must end the same way however often its processes die.

use std::collections::BTreeMap;

use consign_engine::{
    AskKind, Data, Engine, Error, Limits, Nanos, RunId, Speaker, Status, store::Interaction,
};

use crate::{
    draft::json,
    programs::Order,
    scripted::{Outside, Scripted},
    world::{Setting, World},
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
    wishes: Vec<(usize, String, Wish)>,
    cap: Option<Nanos>,
}

/// What a person may want of a run.
#[derive(Clone, Debug)]
pub enum Wish {
    Cancel,
    Advise(String),
}

impl Scenario {
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            agents: BTreeMap::new(),
            orders: Vec::new(),
            answers: BTreeMap::new(),
            wishes: Vec::new(),
            cap: None,
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

    /// What the person wants of the n-th run once this event is in its journal.
    #[must_use]
    pub fn when(mut self, order: usize, event: &str, wish: Wish) -> Self {
        self.wishes.push((order, event.to_owned(), wish));
        self
    }

    /// What Ada may spend over all runs at first. She gets more when she asks for it.
    #[must_use]
    pub fn cap(mut self, cap: Nanos) -> Self {
        self.cap = Some(cap);
        self
    }

    pub(super) fn setting(&self, setting: Setting) -> Setting {
        let agents = self.agents.iter();
        agents.fold(setting, |setting, (name, agent)| setting.agent(name, agent.clone()))
    }

    /// The person looks at everything once, and does what there is to do. Says whether all is over.
    /// It may be cut off anywhere and begun again.
    pub(super) async fn attend(&self, world: &World, engine: &Engine) -> bool {
        if let Some(cap) = self.cap
            && world.account("ada").await.cap.is_none()
        {
            taken(engine.store().set_cap(&"ada".into(), Some(cap)).await.map_err(Error::from));
        }
        // Runs are submitted in order, so their number says which are still to come.
        let submitted = world.rows().await.len();
        for order in self.orders.iter().skip(submitted) {
            taken(engine.submit(order.clone().submission()).await.map(|_| ()));
        }
        for ask in world.inbox().await {
            self.answer_ask(world, engine, &ask).await;
        }
        let mut rows = world.rows().await;
        rows.reverse();
        for (order, event, wish) in &self.wishes {
            if let Some(row) = rows.get(*order).filter(|row| !row.status.is_closed()) {
                wish_for(world, engine, &row.id, event, wish).await;
            }
        }
        rows.len() == self.orders.len() && rows.iter().all(|row| row.status.is_closed())
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
        let value = match key.asks_outcome_of() {
            Some((of, _)) => truth(world.outside(), run, of.as_str()),
            None => json(self.answers.get(key.as_str()).map_or("true", String::as_str)),
        };
        taken(engine.answer(run, key, &value, &ada()).await);
    }
}

async fn wish_for(world: &World, engine: &Engine, run: &RunId, event: &str, wish: &Wish) {
    let history = world.history(run).await;
    let granted = match wish {
        Wish::Cancel => history.contains("cancel_requested"),
        Wish::Advise(_) => history.contains("advised"),
    };
    if !history.contains(event) || granted {
        return;
    }
    match wish {
        Wish::Cancel => taken(engine.cancel(run, None, &ada()).await),
        Wish::Advise(text) => taken(engine.advise(run, text, &ada()).await),
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
fn truth(outside: &Outside, run: &RunId, key: &str) -> Data {
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
