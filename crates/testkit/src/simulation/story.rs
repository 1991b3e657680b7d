//! The course of a simulation: first with troubles, then without, until everything is finished.

use std::{sync::Arc, time::Duration};

use consign_engine::{Placement, Proof, RunId, store::Store as _};
use tokio::time::{Instant, sleep};

use super::{
    Report,
    life::Life,
    people::{Forking, People},
    process::{Process, Task, engine, skew},
    scene::is_for_commands,
    vigil::Vigil,
    wire::at_once,
    world::World,
};

/// Once the troubles are over, something happens at least so often: the longest attempt takes a
/// minute, and so do the clocks that are ahead.
const LONGEST: Duration = Duration::from_secs(200);

struct Story {
    world: Arc<World>,
    people: People,
    workers: Vec<Process>,
    commands: Vec<Process>,
}

pub(super) async fn tell(seed: u64, world: &Arc<World>) -> Report {
    for (owner, cap) in &world.scene.owners {
        let set = at_once(world.memory.set_cap(owner, *cap));
        world.judge(set.map_err(|error| error.to_string()));
    }
    let people = People::new(world).await;
    let mut story =
        Story { world: world.clone(), people, workers: Vec::new(), commands: Vec::new() };
    for _ in 0..world.scene.workers {
        story.workers.push(Process::worker(world));
    }
    story.trouble().await;
    story.relief().await;
    story.end(seed).await
}

impl Story {
    async fn trouble(&mut self) {
        let world = self.world.clone();
        let until = world.trace.began() + world.scene.trouble;
        let mut planned = world.scene.runs.clone();
        planned.sort_by_key(|planned| planned.after);
        let mut planned = planned.into_iter().peekable();
        while Instant::now() < until || planned.peek().is_some() {
            sleep(world.random.millis(1, world.scene.weather.pause)).await;
            let passed = world.trace.began().elapsed();
            while let Some(planned) = planned.next_if(|planned| planned.after <= passed) {
                if is_for_commands(&planned.placement) {
                    self.command(Task::Begin(planned));
                } else {
                    for _ in 0..planned.times {
                        self.people.submit(planned.clone());
                    }
                }
            }
            self.mishap();
        }
    }

    /// One thing that goes wrong, or somebody who does something.
    fn mishap(&mut self) {
        let world = self.world.clone();
        let (random, weather) = (&world.random, &world.scene.weather);
        self.workers.retain(|process| !process.is_over());
        self.commands.retain(|process| !process.is_over());
        if (self.workers.len() as u64) < world.scene.workers && random.chance(400) {
            self.workers.push(Process::worker(&world));
        }
        let mut roll = random.below(60);
        let mut falls = |weight: u64| {
            let falls = roll < weight;
            roll = roll.saturating_sub(weight);
            falls
        };
        let everybody: Vec<_> = self.workers.iter().chain(&self.commands).collect();
        if falls(weather.kills) {
            if let Some(process) = one_of(&world, &everybody) {
                process.kill(&world);
            }
        } else if falls(weather.doubts) {
            if let Some(process) = one_of(&world, &everybody) {
                process.doubt(&world);
            }
        } else if falls(weather.jumps) {
            let lives = everybody.iter().map(|process| &process.life).chain(self.people.lives());
            let life = *random.pick(&lives.collect::<Vec<_>>());
            let ahead = skew(random, &world);
            world.trace.line(&life.name, format_args!("is set {ahead} us ahead"));
            life.set_ahead(ahead);
        } else if falls(weather.drains) {
            if let Some(process) = one_of(&world, &everybody) {
                process.drain(&world);
            }
        } else if random.chance(60) {
            let forking = self.people.fork();
            self.go_on_with(forking);
        } else if random.chance(100) {
            let runs = world.memory.look(|state| state.runs().keys().cloned().collect::<Vec<_>>());
            if !runs.is_empty() {
                let run = random.pick(&runs).clone();
                self.command(Task::Resume(run));
            }
        } else {
            self.people.meddle();
        }
    }

    /// From now on everything works, and everybody helps.
    async fn relief(&mut self) {
        let world = self.world.clone();
        world.calm_down();
        world.trace.line("world", format_args!("calms down"));
        for process in self.workers.iter().chain(&self.commands) {
            match world.random.below(10) {
                0..=2 => process.kill(&world),
                3..=4 => process.drain(&world),
                _ => {}
            }
        }
        self.workers.push(Process::worker(&world));
        let mut vigil = Vigil::default();
        let mut until = (0, Instant::now() + LONGEST);
        // What is told to a run wakes it, and would hide that nothing else does.
        let quiet = Instant::now() + Duration::from_secs(20);
        let mut helps = Instant::now() + world.random.millis(0, 2000);
        loop {
            sleep(Duration::from_millis(200)).await;
            vigil.look(&world);
            let open = world.memory.look(|state| {
                let open = state.runs().iter().filter(|(_, kept)| !kept.row.status.is_closed());
                // All others are for the workers, also those of commands that are gone.
                let open = open.map(|(id, kept)| {
                    let left = kept.row.interrupted || kept.row.placement == Placement::HereOnly;
                    let held =
                        kept.row.worker.as_ref().is_some_and(|holder| state.is_alive(holder));
                    (id.clone(), left && !held)
                });
                open.collect::<Vec<_>>()
            });
            if open.is_empty() && world.is_silent() && self.commands.iter().all(Process::is_over) {
                // What failed is given a second chance, as long as somebody wants that.
                let forking = self.people.retry();
                if !self.go_on_with(forking) {
                    return;
                }
            }
            let events = world
                .memory
                .look(|state| state.runs().values().map(|kept| kept.row.seq.0 + 1).sum::<u64>());
            if until.0 != events {
                until = (events, Instant::now() + LONGEST);
            }
            if Instant::now() > until.1 {
                let stuck: Vec<_> = open.iter().map(|(id, _)| id.as_str()).collect();
                let stuck = stuck.join(", ");
                world.fail(format!("nothing has happened for {LONGEST:?}, and {stuck} are open"));
                return;
            }
            if Instant::now() >= helps {
                self.people.help().await;
                if Instant::now() < quiet && world.random.chance(200) {
                    self.people.disturb();
                }
                if Instant::now() < quiet && world.random.chance(300) {
                    let forking = self.people.fork();
                    self.go_on_with(forking);
                }
                helps = Instant::now() + world.random.millis(200, 1000);
            }
            for (run, _) in open.into_iter().filter(|(_, idle)| *idle) {
                self.commands.retain(|process| !process.is_over());
                self.command(Task::Resume(run));
            }
        }
    }

    /// Says whether there is a fork to go on with.
    fn go_on_with(&mut self, forking: Forking) -> bool {
        match forking {
            Forking::Nothing => false,
            Forking::Sent => true,
            Forking::ByCommand(wish) => {
                self.command(Task::Fork(wish));
                true
            }
        }
    }

    fn command(&mut self, task: Task) {
        self.commands.push(Process::command(&self.world, task));
    }

    /// Everybody goes home, and what is left is looked at once more.
    async fn end(mut self, seed: u64) -> Report {
        let world = self.world.clone();
        self.workers.iter().chain(&self.commands).for_each(|process| process.drain(&world));
        let until = Instant::now() + Duration::from_secs(60);
        while self.workers.iter().chain(&self.commands).any(|process| !process.is_over()) {
            sleep(Duration::from_millis(100)).await;
            if Instant::now() > until {
                world.fail("a process does not stop".to_owned());
                break;
            }
        }
        let concluded = world.memory.look(|state| {
            let kinds = state.runs().values().flat_map(|kept| &kept.journal);
            kinds.for_each(|record| world.count(&record.kind));
            let model = world.model();
            for (what, count) in &model.tally {
                world.count_more(what, *count);
            }
            model.conclude(state)
        });
        world.judge(concluded);
        let events = self.verify().await;
        self.workers.clear();
        let runs = world.memory.look(|state| state.runs().len());
        Report {
            seed,
            runs,
            events,
            effects: world.model().effects(),
            steps: world.steps(),
            lasted: world.trace.began().elapsed(),
            tally: world.tally(),
            trace: world.trace.digest(),
        }
    }

    /// The engine itself must be able to prove every run. Says how many events they have.
    async fn verify(&self) -> u64 {
        let world = &self.world;
        let life = Arc::new(Life::new(world.name("judge"), 0));
        let Ok(engine) = engine(world, &life).await else {
            world.fail("an engine cannot be made on a healthy store".to_owned());
            return 0;
        };
        let runs: Vec<_> = world.memory.look(|state| state.runs().keys().cloned().collect());
        let mut events = 0;
        for run in runs {
            match engine.verify(&run, None).await {
                Ok(Ok(proof)) if is_proven(world, &run, &proof) => events += proof.events,
                other => world.fail(format!("run {run} cannot be proven: {other:?}")),
            }
        }
        events
    }
}

/// Whether nothing is left open, in the run or in those that it was forked from.
fn is_proven(world: &World, run: &RunId, proof: &Proof) -> bool {
    let parents = proof.parents.iter().map(|parent| &parent.run);
    let known = world.model().parents(run);
    let holds = proof.state.is_ok() && proof.parents.iter().all(|parent| parent.state.is_ok());
    holds && parents.eq(known.iter())
}

fn one_of<'a>(world: &World, of: &[&'a Process]) -> Option<&'a Process> {
    (!of.is_empty()).then(|| *world.random.pick(of))
}
