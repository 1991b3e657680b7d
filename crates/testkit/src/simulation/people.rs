//! People and programs outside: they submit, answer, raise, advise, signal, fork and cancel, from two
//! processes with clocks of their own, twice, late and wrongly. Each word has an actor of its own.

mod forking;
mod signalling;

use std::{sync::Arc, time::Duration};

use consign_engine::{
    Actor, Data, Engine, Error, Fault, Limits, Nanos, RunId, Speaker,
    store::{self, AskState, Interaction},
};
use serde_json::json;
use tokio::time::timeout;

pub(super) use self::forking::{Forking, fork_of};
use super::{
    book::outcome_of,
    life::Life,
    model::{About, Answer, ForkWish},
    process::{engine, skew, submission},
    scene::Planned,
    world::{World, short},
};

/// Nobody raises a limit past this, in whatever it counts.
const HIGHEST: u64 = 1_000_000_000;

#[derive(Clone)]
pub(super) struct People {
    world: Arc<World>,
    desks: Vec<(Arc<Life>, Arc<Engine>)>,
}

impl People {
    pub(super) async fn new(world: &Arc<World>) -> Self {
        let mut desks = Vec::new();
        while desks.len() < 2 {
            let life = Arc::new(Life::new(world.name("desk"), skew(&world.random, world)));
            if let Ok(engine) = engine(world, &life).await {
                desks.push((life, engine));
            }
        }
        Self { world: world.clone(), desks }
    }

    /// The processes that they use.
    pub(super) fn lives(&self) -> impl Iterator<Item = &Arc<Life>> {
        self.desks.iter().map(|(life, _)| life)
    }

    /// Says something. Whoever does may die before it hears the answer.
    fn say<F>(
        &self,
        what: String,
        (about, wrong): (About, bool),
        word: impl FnOnce(Arc<Engine>, Actor) -> F,
    ) where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let world = self.world.clone();
        let (life, engine) = world.random.pick(&self.desks).clone();
        // The next question about a limit has the same key, and may want another answer.
        let for_limit = matches!(&about, About::Ask(_, key) if key.asks_for_limit());
        let may_breach = wrong || for_limit;
        let wish = match &about {
            About::Fork(wish) => Some(wish.clone()),
            About::Anything | About::Ask(..) | About::Signal(..) => None,
        };
        let who = world.speaker(about, wrong);
        world.trace.line(&life.name, format_args!("{who}: {what}"));
        let word = word(engine, who.clone());
        let dies = !world.is_calm() && world.random.chance(50);
        let longest = if dies { world.random.millis(0, 20) } else { Duration::from_secs(3600) };
        let under_way = world.under_way.clone();
        tokio::spawn(async move {
            let _under_way = under_way;
            let answer = match timeout(longest, word).await {
                Ok(result) => {
                    if let Err(error) = &result {
                        world.trace.line(&life.name, format_args!("{who} is told: {error}"));
                        world.judge(fitting(&world, error, wish.as_ref(), may_breach));
                        world.count(&reason(error));
                    }
                    answer_of(result.as_ref())
                }
                Err(_) => Answer::None,
            };
            world.answered(&who, answer);
        });
    }

    pub(super) fn submit(&self, planned: Planned) {
        self.say("submits".to_owned(), (About::Anything, false), |engine, who| async move {
            let submitted = engine.submit(submission(&planned, who.as_str())).await?;
            // Then it was another word that made the run.
            match submitted.repeated {
                true => Err(Fault::permanent("REPEATED", "the run is there").into()),
                false => Ok(()),
            }
        });
    }

    /// One thing that somebody does while all goes wrong.
    pub(super) fn meddle(&self) {
        let world = &self.world;
        let random = &world.random;
        if random.chance(700) {
            let Some(ask) = self.any_ask() else { return };
            for _ in 0..*random.pick(&[1, 1, 2, 3]) {
                if random.chance(150) {
                    self.answer(&ask, Data::of(random.pick(&["no", "-1"])), true);
                } else if ask.agent.is_some() && random.chance(300) {
                    self.decline(&ask);
                } else if let Some(value) = self.truth(&ask) {
                    self.answer(&ask, value, false);
                }
            }
            return;
        }
        if random.chance(800) {
            return self.disturb();
        }
        let (owner, _) = random.pick(&world.scene.owners).clone();
        let cap = random.chance(700).then(|| Nanos::new(random.between(200, 9000)));
        let (_, engine) = random.pick(&self.desks).clone();
        tokio::spawn(async move { engine.store().set_cap(&owner, cap).await });
    }

    /// Somebody says something to a run that it did not ask for.
    pub(super) fn disturb(&self) {
        let random = &self.world.random;
        let runs: Vec<_> = self.world.memory.look(|state| state.runs().keys().cloned().collect());
        if runs.is_empty() {
            return;
        }
        let run = random.pick(&runs).clone();
        match random.below(12) {
            0 => self.cancel(run),
            1 | 2 => self.advise(run),
            3..=5 => self.raise(run),
            _ => self.signal(run),
        }
    }

    fn cancel(&self, run: RunId) {
        self.say(
            format!("cancels {}", short(&run)),
            (About::Anything, false),
            |engine, who| async move { engine.cancel(&run, None, &Speaker::person(who)).await },
        );
    }

    fn advise(&self, run: RunId) {
        self.say(
            format!("advises {}", short(&run)),
            (About::Anything, false),
            |engine, who| async move {
                engine.advise(&run, who.as_str(), &Speaker::person(who.clone())).await
            },
        );
    }

    fn raise(&self, run: RunId) {
        let Some(limits) = self.higher(&run) else { return };
        self.say(
            format!("raises {} to {limits:?}", short(&run)),
            (About::Anything, false),
            |engine, who| async move { engine.raise(&run, &limits, &Speaker::person(who)).await },
        );
    }

    /// Everybody helps: what is asked is answered, and there is money for everything.
    pub(super) async fn help(&self) {
        for (owner, _) in &self.world.scene.owners {
            let account = self.world.memory.look(|state| state.account(owner));
            if account.cap.is_some() {
                let (_, engine) = self.world.random.pick(&self.desks).clone();
                // It is tried again if it fails.
                let _ = engine.store().set_cap(owner, None).await;
            }
        }
        for ask in self.asks(|ask| ask.state == AskState::Open) {
            if let Some(value) = self.truth(&ask) {
                self.answer(&ask, value, false);
            }
        }
        self.send_awaited();
    }

    fn answer(&self, ask: &Interaction, value: Data, wrong: bool) {
        let (run, key) = (ask.run.clone(), ask.key.clone());
        // The question about a later attempt has the same key, and a second answer to the first one
        // would be taken for it: one person at a time.
        if outcome_of(&key).is_some() && self.world.model().is_being_told(&run, &key) {
            return;
        }
        let what = format!("answers {} {key} with {value:?}", short(&run));
        let to = About::Ask(run.clone(), key.clone());
        self.say(what, (to, wrong), |engine, who| async move {
            engine.answer(&run, &key, &value, &Speaker::person(who)).await
        });
    }

    fn decline(&self, ask: &Interaction) {
        let (run, key) = (ask.run.clone(), ask.key.clone());
        let what = format!("declines {} {key}", short(&run));
        let to = About::Ask(run.clone(), key.clone());
        self.say(what, (to, false), |engine, who| async move {
            engine.decline(&run, &key, "not today", &Speaker::person(who)).await
        });
    }

    /// An ask that is open, or was.
    fn any_ask(&self) -> Option<Interaction> {
        let late = self.world.random.chance(150);
        let asks = self.asks(|ask| late || ask.state == AskState::Open);
        (!asks.is_empty()).then(|| self.world.random.pick(&asks).clone())
    }

    fn asks(&self, which: impl Fn(&Interaction) -> bool) -> Vec<Interaction> {
        self.world.memory.look(|state| {
            let asks = state.asks().values().map(|ask| &ask.interaction);
            asks.filter(|ask| which(ask)).cloned().collect()
        })
    }

    /// What an honest person would say.
    fn truth(&self, ask: &Interaction) -> Option<Data> {
        if let Some(of) = outcome_of(&ask.key) {
            let outcome = self.world.model().outcome(&ask.run, &of);
            return Some(Data::of(&match outcome {
                Some(output) => json!({"outcome": "done", "output": output}),
                None if self.world.random.chance(200) => json!({"outcome": "failed"}),
                None => json!({"outcome": "not_done"}),
            }));
        }
        if ask.agent.is_some() {
            return Some(Data::of(&json!({"of": ask.key, "try": self.world.random.below(1000)})));
        }
        let schema = ask.schema.shown();
        if schema.get("properties").is_some_and(|fields| fields.get("retry").is_some()) {
            return Some(Data::of(&json!({"retry": true})));
        }
        if ask.key.asks_for_limit() {
            let Limits { cost, calls, active } = self.higher(&ask.run)?;
            let parts = [
                cost.map(|cost| format!("\"cost_usd\":{cost}")),
                calls.map(|calls| format!("\"calls\":{calls}")),
                active.map(|active| format!("\"minutes\":{}", active.as_secs_f64() / 60.0)),
            ];
            let parts: Vec<_> = parts.into_iter().flatten().collect();
            return Data::parse(format!("{{{}}}", parts.join(","))).ok();
        }
        Some(Data::of(&self.world.random.below(1000)))
    }

    /// Limits above those that a run has, if it has any.
    fn higher(&self, run: &RunId) -> Option<Limits> {
        let model = self.world.model();
        let Limits { cost, calls, active } = &model.books.get(run)?.limits;
        let factor = self.world.random.between(2, 4);
        let raised = |limit: u64| limit.saturating_mul(factor).min(HIGHEST);
        let millis = |span: &Duration| u64::try_from(span.as_millis()).unwrap_or(HIGHEST);
        let higher = Limits {
            cost: cost.map(|cost| Nanos::new(raised(cost.get()))),
            calls: calls.map(raised),
            active: active.map(|active| Duration::from_millis(raised(millis(&active)))),
        };
        (higher != Limits::default()).then_some(higher)
    }
}

/// What somebody knows after it said something.
pub(super) fn answer_of<T>(result: Result<T, &Error>) -> Answer {
    match result {
        Ok(_) => Answer::Taken,
        Err(Error::Store(store::Error::Lost(_))) => Answer::None,
        Err(Error::Fault(_) | Error::Store(_)) => Answer::Refused,
    }
}

/// An honest word is refused for what others did before, or because the store cannot write; one that is wrong, for
/// what is wrong with it; a fork, because there is nothing to do at its place.
pub(super) fn fitting(
    world: &World,
    error: &Error,
    wish: Option<&ForkWish>,
    wrong: bool,
) -> Result<(), String> {
    let honest = [
        "ALREADY_ANSWERED",
        "WITHDRAWN",
        "DEADLINE_PASSED",
        "INVALID_STATE",
        "INVALID_LIMIT",
        "BUDGET_TOO_SMALL",
        "REPEATED",
    ];
    let breaches = [
        "CONTRACT_BREACH",
        "SIGNAL_NOT_FOUND",
        "PERSON_REQUIRED",
        "EVENT_NOT_FOUND",
        "POINT_NOT_FOUND",
        "RUN_EXISTS",
    ];
    let fits = match error {
        Error::Fault(fault) => match (fault.code.as_ref(), wish) {
            ("FORK_IMPOSSIBLE", Some(wish)) => {
                return world.memory.look(|state| world.model().is_futile(wish, state));
            }
            ("REPEATED", _) if wrong => false,
            (code, _) => honest.contains(&code) || wrong && breaches.contains(&code),
        },
        Error::Store(store::Error::Unavailable(_) | store::Error::Lost(_)) => true,
        Error::Store(_) => false,
    };
    if fits { Ok(()) } else { Err(format!("an honest word is refused: {error}")) }
}

fn reason(error: &Error) -> String {
    match error {
        Error::Fault(fault) => format!("somebody is told {}", fault.code),
        Error::Store(_) => "somebody is told to try again".to_owned(),
    }
}
