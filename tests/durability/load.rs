//! Work for workers that are about to be killed: runs of every kind, started and answered through
//! the command line by people who are killed themselves now and then.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::json;

use crate::support::{
    CLASSES, Chance, Effects, Home, Look, Outcome, Process, Steward, Witness, args_to_start, usd,
};

pub(crate) struct Load<'a> {
    pub(crate) home: &'a Home,
    pub(crate) effects: Effects,
    witness: Mutex<Witness>,
    stopped: AtomicBool,
    calm: AtomicBool,
    /// Commands that were killed.
    pub(crate) killed: AtomicUsize,
}

/// Runs that are open at once, about.
const OPEN: usize = 24;
/// Nano-dollars that are added to a limit that is reached.
const RAISE: i64 = 60_000_000;

impl<'a> Load<'a> {
    pub(crate) fn new(home: &'a Home) -> Self {
        Self {
            home,
            effects: Effects::of(home),
            witness: Mutex::default(),
            stopped: AtomicBool::new(false),
            calm: AtomicBool::new(false),
            killed: AtomicUsize::new(0),
        }
    }

    /// Whoever has it keeps others from hearing anything: a look must not be older than what was
    /// heard.
    pub(crate) fn witness(&self) -> MutexGuard<'_, Witness> {
        self.witness.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at everything, and panics where something is wrong.
    #[track_caller]
    pub(crate) fn check(&self) -> Look {
        let mut witness = self.witness();
        let before = self.effects.lines();
        let look = Look::at(&self.home.path());
        let wrong = witness.sees(&before, &look, &self.effects.lines());
        assert!(wrong.is_empty(), "{wrong:#?}");
        look
    }

    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// From now on nobody is killed.
    pub(crate) fn calm_down(&self) {
        self.calm.store(true, Ordering::Relaxed);
        self.stopped.store(false, Ordering::Relaxed);
    }

    fn goes_on(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed)
    }

    /// Starts runs for as long as there is room, here or for the workers.
    pub(crate) fn start_runs(&self, mut chance: Chance) {
        while self.goes_on() {
            let look = Look::books(&self.home.path());
            if look.open_runs().count() >= OPEN {
                thread::sleep(Duration::from_millis(10));
                continue;
            }
            let (workflow, input, cap) = self.pick(&mut chance);
            let owner = chance.pick(&["red", "blue"]);
            let mut more = vec!["--owner", owner, "--cost", cap];
            if !chance.once_in(6) {
                more.push("--detach");
            }
            let args = args_to_start(workflow, &input, &more);
            let process = self.home.start(self.home.command(&args));
            if let Some(outcome) = self.perhaps_killed(process, &mut chance) {
                outcome.exits_with(&[0, 43]);
            }
        }
    }

    fn pick(&self, chance: &mut Chance) -> (&'static str, serde_json::Value, &'static str) {
        let sleep = chance.below(20);
        match chance.below(8) {
            0 => ("sample/steps", json!({"steps": 12, "sleep_ms": sleep}), "1"),
            1 => {
                ("sample/fanout", json!({"width": 8, "sleep_ms": sleep, "cost_usd": 0.01}), "0.05")
            }
            2 => ("sample/budget", json!({"calls": 6, "cost_usd": 0.02}), "0.07"),
            3 => ("sample/approval", json!({"asks": 3}), "1"),
            class => {
                let class = CLASSES[usize::try_from(class).expect("a small number") - 4];
                ("sample/effects", self.effects.input(class, 4, sleep * 2), "1")
            }
        }
    }

    /// Answers what is asked, raises what is reached, and goes on with what only a command may go
    /// on with.
    pub(crate) fn attend(&self, mut chance: Chance) {
        let steward = Steward::new(self.home, RAISE);
        while self.goes_on() {
            for asked in steward.asked() {
                let Some(outcome) = self.perhaps_killed(steward.answer(&asked), &mut chance) else {
                    continue;
                };
                // One that was killed may have been heard all the same, and the run have come to
                // another limit, which is raised elsewhere.
                let late: &[&str] = match asked.interaction.as_str() {
                    limit if limit.starts_with("@limit@") => {
                        &["WITHDRAWN", "INVALID_STATE", "INVALID_LIMIT", "CONTRACT_BREACH"]
                    }
                    _ => &["ALREADY_ANSWERED", "WITHDRAWN", "INVALID_STATE"],
                };
                if !outcome.error_code().is_some_and(|code| late.contains(&code)) {
                    outcome.exits_with(&[0, 43]);
                    self.witness().hears_answer(&asked.run, &asked.interaction);
                }
            }
            let look = Look::books(&self.home.path());
            self.raise_owners(&look);
            let waiting = look.open_runs().filter(|(_, run)| run.is_for_a_command());
            for (id, _) in waiting {
                let args = ["runs", "resume", id, "--json"];
                let process = self.home.start(self.home.command(args));
                if let Some(outcome) = self.perhaps_killed(process, &mut chance)
                    && !["INVALID_STATE", "RUN_HELD"].contains(&outcome.error_code().unwrap_or("-"))
                {
                    outcome.exits_with(&[0, 43]);
                }
            }
        }
    }

    fn raise_owners(&self, look: &Look) {
        for (name, owner) in &look.owners {
            let Some(cap) = owner.cap else { continue };
            if owner.spent + owner.reserved + RAISE / 2 > cap {
                let cap = usd(cap + RAISE).to_string();
                self.home.run(["budget", "set", name, "--cost", &cap]).succeeds();
            }
        }
    }

    /// Waits for a command, or kills it at some moment. What it said counts in both cases.
    fn perhaps_killed(&self, process: Process, chance: &mut Chance) -> Option<Outcome> {
        let kill = chance.once_in(4) && !self.calm.load(Ordering::Relaxed);
        let outcome = if kill {
            thread::sleep(chance.millis(0..80));
            process.kill()
        } else {
            process.wait()
        };
        for run in outcome.said() {
            self.witness().hears(&run);
        }
        // One that ended before it could be killed is as good as one that was spared.
        let spared = outcome.signal.is_none();
        if !spared {
            self.killed.fetch_add(1, Ordering::Relaxed);
        }
        spared.then_some(outcome)
    }
}
