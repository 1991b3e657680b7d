//! Processes: workers, and commands that attend to one run. Each has an engine of its own, and can
//! die at any instant.

use std::{sync::Arc, time::Duration};

use consign_engine::{
    Drive, Engine, Error, Fork, Left, Parts, Report, RunId, Seat, Settings, Status, Stop,
    Submission, Worker, Workflows,
    store::{self, Refusal, Row, Store as _, Tick},
};
use tokio::{sync::watch, task::AbortHandle, time::Instant, time::sleep};

use super::{
    agents::agents,
    life::{Life, Watch},
    model::{About, ForkWish},
    people::{answer_of, fitting, fork_of},
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
    Fork(ForkWish),
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
            let command = Command { seat: seat(&world, &life).await?, world, life, stop };
            match errand {
                Task::Begin(planned) => command.begin(&planned).await,
                Task::Resume(run) => {
                    let drive = command.seat.take(&run).await?;
                    command.go_on(drive).await
                }
                Task::Fork(wish) => command.fork(wish).await,
            }
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

/// A command that has one run in its care.
struct Command {
    seat: Seat,
    world: Arc<World>,
    life: Arc<Life>,
    stop: watch::Receiver<Stop>,
}

impl Command {
    async fn begin(self, planned: &Planned) -> Result<(), Error> {
        let who = self.world.speaker(About::Anything, false);
        let begun = self.seat.begin(submission(planned, who.as_str())).await;
        self.life.breathe().await;
        self.world.answered(&who, answer_of(begun.as_ref()));
        self.go_on(begun?.1).await
    }

    async fn fork(self, wish: ForkWish) -> Result<(), Error> {
        let who = self.world.speaker(About::Fork(wish.clone()), false);
        self.world.trace.line(&self.life.name, format_args!("{who}: forks {wish:?}"));
        let fork = Fork { placement: store::Placement::Foreground, ..fork_of(&wish, &who) };
        let forked = self.seat.fork(fork).await;
        self.life.breathe().await;
        self.world.answered(&who, answer_of(forked.as_ref()));
        match forked {
            Ok((_, drive)) => self.go_on(drive).await,
            // Somebody was faster, and has it.
            Err(Error::Store(store::Error::Exists(_))) => Ok(()),
            Err(error @ Error::Fault(_)) => {
                self.world.judge(fitting(&self.world, &error, Some(&wish), false));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Drives the run. One that waits may be kept for a while: no worker takes it then.
    async fn go_on(self, drive: Drive) -> Result<(), Error> {
        let (world, run) = (&self.world, drive.run().clone());
        let mut left = self.seat.attend(drive, self.stop.clone()).await?;
        world.trace.line(&self.life.name, format_args!("leaves {} {left:?}", short(&run)));
        let until = Instant::now() + world.random.millis(0, 3000);
        let stays = world.random.chance(500);
        while stays && left == Left::Waiting && Instant::now() < until {
            let Some(drive) = self.take_again(&run, until).await? else { break };
            left = self.seat.attend(drive, self.stop.clone()).await?;
            world.trace.line(&self.life.name, format_args!("leaves {} {left:?}", short(&run)));
        }
        Ok(())
    }

    /// Waits until the run can go on, and takes it.
    async fn take_again(&self, run: &RunId, until: Instant) -> Result<Option<Drive>, Error> {
        let store = self.seat.engine().store().clone();
        let mut stop = self.stop.clone();
        let mut tick = Tick::default();
        loop {
            let row = store.row(run).await?;
            let due = row.wake_at.is_some_and(|at| at <= self.seat.engine().now());
            if row.status == Status::Queued || row.status == Status::Waiting && due {
                return match self.seat.take(run).await {
                    Ok(drive) => Ok(Some(drive)),
                    Err(Error::Store(store::Error::Refused(
                        Refusal::Held { .. } | Refusal::Closed,
                    ))) => Ok(None),
                    Err(error) => Err(error),
                };
            }
            if row.status != Status::Waiting {
                return Ok(None);
            }
            tokio::select! {
                biased;
                Ok(()) = stop.changed() => return Ok(None),
                () = tokio::time::sleep_until(until) => return Ok(None),
                () = sleep(Duration::from_millis(100)) => {}
                now = store.changed(tick) => tick = now,
            }
        }
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
            store::Error::NotFound(_)
            | store::Error::Exists(_)
            | store::Error::Redacted(_)
            | store::Error::Damaged(_),
        ) => false,
    };
    if !excused {
        world.fail(format!("{} gives up: {error}", life.name));
    }
}
