//! Processes: workers, and commands that attend to one run. Each has an engine of its own, and can
//! die at any instant.

use std::{sync::Arc, time::Duration};

use consign_engine::{
    Engine, Error, Left, Parts, Report, RunId, Seat, Settings, Stop, Submission, Worker, Workflows,
    store::{self, Row, Store as _},
};
use tokio::{sync::watch, task::AbortHandle, time::Instant, time::sleep};

use super::{
    agents::agents,
    life::{Life, Watch},
    people::answer_of,
    program::NAME,
    random::Random,
    scene::{HOST, Planned},
    store::SimStore,
    wire::at_once,
    world::{World, short},
};

#[derive(Clone)]
pub(super) struct Process {
    pub(super) life: Arc<Life>,
    stop: watch::Sender<Stop>,
    task: AbortHandle,
}

/// What a command is for.
pub(super) enum Task {
    Begin(Planned),
    Resume(RunId),
}

impl Process {
    pub(super) fn worker(world: &Arc<World>) -> Self {
        Self::spawn(world, "worker", |world, life, stop| async move {
            let (host, at_once) = if world.is_calm() {
                (Some(HOST.into()), 8)
            } else {
                (world.random.chance(500).then(|| HOST.into()), world.random.index(4) + 1)
            };
            let seat = seat(&world, &life).await?;
            let worker = Worker::new(seat, host, at_once);
            worker.work(stop, |report| heed(&world, &life, &report)).await
        })
    }

    pub(super) fn command(world: &Arc<World>, errand: Task) -> Self {
        Self::spawn(world, "command", |world, life, stop| async move {
            let seat = seat(&world, &life).await?;
            let drive = match errand {
                Task::Begin(planned) => {
                    let who = world.speaker(None, false);
                    let submission = submission(&planned, who.as_str());
                    let begun = seat.begin(submission).await;
                    life.breathe().await;
                    world.answered(&who, answer_of(begun.as_ref()));
                    begun?.1
                }
                Task::Resume(run) => seat.take(&run).await?,
            };
            let run = drive.run().clone();
            let left = seat.attend(drive, stop).await?;
            world.trace.line(&life.name, format_args!("leaves {} {left:?}", short(&run)));
            Ok(())
        })
    }

    fn spawn<F>(
        world: &Arc<World>,
        kind: &str,
        main: impl FnOnce(Arc<World>, Arc<Life>, watch::Receiver<Stop>) -> F,
    ) -> Self
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let life = Arc::new(Life::new(world.name(kind), skew(&world.random, world)));
        let (stop, stopping) = watch::channel(Stop::GoOn);
        let born_calm = world.is_calm();
        world.trace.line(&life.name, format_args!("starts"));
        let main = main(world.clone(), life.clone(), stopping);
        let task = tokio::spawn({
            let (world, life) = (world.clone(), life.clone());
            async move {
                let end = main.await;
                // What a dead process comes to is nobody's business.
                life.breathe().await;
                if let Err(error) = end {
                    gives_up(&world, &life, &error, born_calm);
                }
                life.end();
            }
        });
        Self { life, stop, task: task.abort_handle() }
    }

    /// It dies at once, with all that it was about.
    pub(super) fn kill(&self, world: &World) {
        world.trace.line(&self.life.name, format_args!("DIES"));
        world.count("a process dies");
        self.life.end();
        self.task.abort();
    }

    /// It is asked to come to an end, and some time later to do so at once.
    pub(super) fn drain(&self, world: &Arc<World>) {
        self.tell(world, Stop::Drain);
        let again = Self::clone(self);
        let (world, patience) = (world.clone(), world.random.millis(100, 5000));
        tokio::spawn(async move {
            sleep(patience).await;
            again.tell(&world, Stop::Now);
        });
    }

    /// Several drives would hear of it in an order by chance (tokio's watch channels wake so), and
    /// the seed could not be replayed: who has several runs dies instead.
    fn tell(&self, world: &World, stop: Stop) {
        if self.is_over() {
            return;
        }
        let held = self.life.worker().map_or(0, |worker| {
            let mine = |row: &Row| row.worker.as_ref() == Some(&worker);
            world.memory.look(|state| state.runs().values().filter(|run| mine(&run.row)).count())
        });
        if held > 1 || self.life.was_suspected() {
            return self.kill(world);
        }
        world.trace.line(&self.life.name, format_args!("is told to stop: {stop:?}"));
        world.count(if stop == Stop::Now { "a process stops at once" } else { "a process drains" });
        self.stop.send_replace(stop);
    }

    /// For a while the others take it for dead.
    pub(super) fn doubt(&self, world: &Arc<World>) {
        let Some(worker) = self.life.suspect() else { return };
        world.model().doubted = true;
        world.trace.line(&self.life.name, format_args!("is taken for dead"));
        world.count("a living worker is taken for dead");
        let (world, life, wait) = (world.clone(), self.life.clone(), world.random.millis(5, 2000));
        tokio::spawn(async move {
            sleep(wait).await;
            if let Ok(guard) = at_once(world.memory.enlist(&worker))
                && !life.is_over()
            {
                world.trace.line(&life.name, format_args!("is known to live"));
                life.absolve(guard);
            }
        });
    }

    pub(super) fn is_over(&self) -> bool {
        self.life.is_over()
    }
}

pub(super) async fn engine(world: &Arc<World>, life: &Arc<Life>) -> Result<Arc<Engine>, Error> {
    let watch = Watch { world: world.clone(), life: life.clone(), born: Instant::now() };
    let parts = Parts {
        store: Arc::new(SimStore::new(world.clone(), life.clone())),
        workflows: Workflows::default().with(world.scene.programs.clone()),
        agents: agents(world, life),
        clock: Box::new(watch),
        entropy: Box::new(Random::new(world.random.next())),
        patience: world.scene.patience,
    };
    Engine::new(parts).await
}

async fn seat(world: &Arc<World>, life: &Arc<Life>) -> Result<Seat, Error> {
    engine(world, life).await?.enlist().await
}

pub(super) fn submission(planned: &Planned, who: &str) -> Submission {
    Submission {
        id: planned.id.clone(),
        workflow: NAME.to_owned(),
        input: planned.input.clone(),
        owner: planned.owner.clone(),
        limits: planned.limits.clone(),
        placement: planned.placement.clone(),
        priority: planned.priority,
        settings: Settings::default(),
        certified: false,
        actor: who.into(),
    }
}

/// How far a clock is off, in microseconds: mostly little, sometimes a minute.
pub(super) fn skew(random: &Random, world: &World) -> i64 {
    let most: i64 = match random.below(10) {
        _ if world.is_calm() => 0,
        0 => 60_000_000,
        1..=3 => 2_000_000,
        _ => 5_000,
    };
    let span = Duration::from_micros(most.unsigned_abs() * 2 + 1).as_micros() as u64;
    i64::try_from(random.below(span)).unwrap_or(0) - most
}

fn heed(world: &World, life: &Life, report: &Report) {
    match report {
        Report::Reclaimed(_) | Report::Claimed(_) | Report::Unavailable(_) | Report::Available => {}
        Report::Left(run, left) => {
            if *left == Left::Taken {
                world.count("a worker finds its run taken");
            }
            world.trace.line(&life.name, format_args!("leaves {} {left:?}", short(run)));
        }
        Report::Damaged(run, why) => world.fail(format!("run {run} is damaged: {why}")),
    }
}

/// A process may end when its store does not do its part, and for nothing else.
fn gives_up(world: &World, life: &Life, error: &Error, born_calm: bool) {
    world.trace.line(&life.name, format_args!("gives up: {error}"));
    world.count("a process gives up");
    let excused = match error {
        Error::Fault(fault) => fault.code == "BUDGET_TOO_SMALL",
        Error::Store(store::Error::Refused(_)) => true,
        Error::Store(store::Error::Unavailable(_) | store::Error::Lost(_)) => !born_calm,
        Error::Store(
            store::Error::NotFound(_) | store::Error::Exists(_) | store::Error::Damaged(_),
        ) => false,
    };
    if !excused {
        world.fail(format!("{} gives up: {error}", life.name));
    }
}
