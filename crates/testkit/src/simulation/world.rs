//! What all processes of a simulation share: the store's contents, the world outside, the dice, and
//! the model that watches.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use consign_contracts::schema::Schema;
use consign_engine::{Actor, Attempt, Data, Effect, RunId};
use tokio::sync::Notify;

use super::{
    agents::reply_schema,
    life::Life,
    model::{About, Answer, Model, Touch},
    random::Random,
    sabotage::Sabotage,
    scene::Scene,
    trace::Trace,
};
use crate::memory::MemoryStore;

/// No honest simulation takes so many looks at a clock or a store.
const MOST_STEPS: u64 = 400_000;

pub(super) struct World {
    pub(super) random: Random,
    pub(super) scene: Scene,
    pub(super) trace: Trace,
    pub(super) memory: MemoryStore,
    pub(super) sabotage: Option<Sabotage>,
    /// Each word that is on its way, or waited for, has a share in it.
    pub(super) under_way: Arc<()>,
    model: Mutex<Model>,
    /// What the other side remembers by idempotency key.
    remote: Mutex<BTreeMap<String, Data>>,
    /// The runs that made attempts under each idempotency key, in order.
    callers: Mutex<BTreeMap<String, Vec<RunId>>>,
    /// How many forks somebody may still want.
    forks: AtomicU64,
    calm: AtomicBool,
    steps: AtomicU64,
    names: AtomicU64,
    tally: Mutex<BTreeMap<String, u64>>,
    writes: AtomicU64,
    news: Notify,
    broken: Mutex<Option<String>>,
    alarm: Notify,
    reply_schema: Arc<Schema>,
}

impl World {
    pub(super) fn new(seed: u64, sabotage: Option<Sabotage>, lines: usize) -> Arc<Self> {
        let random = Random::new(seed);
        let scene = Scene::new(&random);
        Arc::new(Self {
            model: Mutex::new(Model::new(scene.programs.clone())),
            random,
            forks: AtomicU64::new(scene.forks),
            scene,
            trace: Trace::new(lines),
            memory: MemoryStore::new(),
            sabotage,
            under_way: Arc::new(()),
            remote: Mutex::default(),
            callers: Mutex::default(),
            calm: AtomicBool::new(false),
            steps: AtomicU64::new(0),
            names: AtomicU64::new(0),
            tally: Mutex::default(),
            writes: AtomicU64::new(0),
            news: Notify::new(),
            broken: Mutex::new(None),
            alarm: Notify::new(),
            reply_schema: Arc::new(reply_schema()),
        })
    }

    /// Nothing goes wrong from now on.
    pub(super) fn calm_down(&self) {
        self.calm.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed)
    }

    /// Whether everything that was said has arrived and is answered.
    pub(super) fn is_silent(&self) -> bool {
        Arc::strong_count(&self.under_way) == 1
    }

    /// Whether this bug is planted.
    pub(super) fn suffers(&self, bug: Sabotage) -> bool {
        self.sabotage == Some(bug)
    }

    /// Counts a look at a clock or a store. The last that are possible are in the trace.
    pub(super) fn tick(&self, who: &Life, what: &str) {
        let steps = self.steps.fetch_add(1, Ordering::Relaxed);
        if steps + 40 > MOST_STEPS {
            self.trace.line(&who.name, format_args!("{what}"));
        }
        if steps == MOST_STEPS {
            self.fail("it goes on and on and gets nowhere".to_owned());
        }
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Counts something that happened.
    pub(super) fn count(&self, what: &str) {
        self.count_more(what, 1);
    }

    pub(super) fn count_more(&self, what: &str, times: u64) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        match tally.get_mut(what) {
            Some(count) => *count += times,
            None => {
                tally.insert(what.to_owned(), times);
            }
        }
    }

    pub(super) fn tally(&self) -> BTreeMap<String, u64> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn name(&self, kind: &str) -> String {
        format!("{kind}{}", self.names.fetch_add(1, Ordering::Relaxed) + 1)
    }

    pub(super) fn model(&self) -> MutexGuard<'_, Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The model looks at the store after a write.
    pub(super) fn wrote(&self) {
        let verdict = self.memory.look(|state| self.model().look(state));
        self.judge(verdict);
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.news.notify_waiters();
    }

    /// Comes back with the count of writes once it is past what was seen. Whoever waits longest goes
    /// first: tokio's watch channels, which the store in memory uses, wake in an order by chance.
    pub(super) async fn change_since(&self, seen: u64) -> u64 {
        loop {
            let news = self.news.notified();
            let now = self.writes.load(Ordering::Relaxed);
            if now > seen {
                return now;
            }
            news.await;
        }
    }

    pub(super) fn judge(&self, verdict: Result<(), String>) {
        if let Err(broken) = verdict {
            self.fail(broken);
        }
    }

    pub(super) fn fail(&self, broken: String) {
        self.trace.line("BROKEN", format_args!("{broken}"));
        let mut first = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(broken);
        self.alarm.notify_one();
    }

    /// Comes back with the first thing that broke.
    pub(super) async fn broken(&self) -> String {
        loop {
            let broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone();
            match broken {
                Some(broken) => return broken,
                None => self.alarm.notified().await,
            }
        }
    }

    /// Somebody is about to say something, perhaps wrongly: the name to say it under.
    pub(super) fn speaker(&self, about: About, wrong: bool) -> Actor {
        let who = Actor::new(self.name("person"));
        self.model().say(&who, about, wrong);
        who
    }

    /// Whether somebody may want one more fork.
    pub(super) fn may_fork(&self) -> bool {
        let left = |left: u64| left.checked_sub(1);
        self.forks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_ok()
    }

    pub(super) fn answered(&self, who: &Actor, answer: Answer) {
        let verdict = self.model().answered(who, answer);
        self.judge(verdict);
    }

    pub(super) fn reply_schema(&self) -> Arc<Schema> {
        self.reply_schema.clone()
    }

    /// An effect happens. The other side tells repeats of keyed ones, and gives what it gave before.
    pub(super) fn touch(
        &self,
        life: &Life,
        attempt: &Attempt,
        effect: Effect,
        output: Data,
    ) -> Data {
        let (run, key, number) = (&attempt.run, &attempt.key, attempt.number);
        let output = match effect {
            Effect::Keyed => {
                let mut remote = self.remote.lock().unwrap_or_else(PoisonError::into_inner);
                remote.entry(attempt.idempotency_key()).or_insert(output).clone()
            }
            Effect::Pure | Effect::Idempotent | Effect::Unsafe => output,
        };
        self.trace.line(&life.name, format_args!("  acts {} {key} attempt {number}", short(run)));
        let doubtful = life.was_suspected();
        let idempotency_key = attempt.idempotency_key();
        let output = &output;
        let touch = Touch { run, key, attempt: number, idempotency_key, effect, output, doubtful };
        let verdict = self.model().touch(&touch);
        self.judge(verdict);
        output.clone()
    }

    /// How many runs have tried this call before: a fork goes on where its parent failed, and may fare otherwise.
    pub(super) fn earlier_runs(&self, attempt: &Attempt) -> usize {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let callers = callers.entry(attempt.idempotency_key()).or_default();
        let found = callers.iter().position(|run| *run == attempt.run);
        found.unwrap_or_else(|| {
            callers.push(attempt.run.clone());
            callers.len() - 1
        })
    }

    pub(super) fn remembers(&self, attempt: &Attempt) -> Option<Data> {
        let remote = self.remote.lock().unwrap_or_else(PoisonError::into_inner);
        remote.get(&attempt.idempotency_key()).cloned()
    }

    pub(super) fn replied(&self, attempt: &Attempt, output: &Data) {
        self.model().replied(&attempt.run, &attempt.key, attempt.number, output);
    }
}

/// The beginning of an id: enough to tell the runs of one simulation apart. A name is told whole.
pub(super) fn short(run: &RunId) -> &str {
    let named = run.as_str().contains('-');
    run.as_str().get(..4).filter(|_| !named).unwrap_or(run.as_str())
}
