//! A worker starts where another was killed with many runs under way.

use std::{
    error::Error,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Instant,
};

use async_trait::async_trait;
use consign_basics::sample;
use consign_engine::{
    Agent, Agents, Attempt, Data, Effect, Failure, Fault, Invoker, Nanos, Placement, Reply, Report,
    Stop, Worker,
};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use crate::{
    clock::{here, rounded},
    ground::{self, Place},
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Runs under way
    #[arg(long, default_value_t = 10_000)]
    runs: u32,
    /// Fill this home with them, say so, and wait to be killed
    #[arg(long, hide = true)]
    fill: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    if let Some(home) = &args.fill {
        return fill(home, args.runs);
    }
    let folder = args.place.folder()?;
    let home = folder.path().join("home");
    kill_a_full_one(&home, args.runs)?;
    let runtime = ground::runtime()?;
    let mut took = Ok((0.0, 0.0));
    let cost = here(|| took = runtime.block_on(recover(&home, args.runs)));
    let (reclaimed, recovered) = took?;
    Ok(json!({
        "bench": "boot",
        "runs": args.runs,
        "reclaimed_seconds": rounded(reclaimed),
        "recovered_seconds": rounded(recovered),
        "cpu_seconds": rounded(cost.cpu.as_secs_f64()),
    }))
}

/// A child of ours holds all the runs, and dies.
fn kill_a_full_one(home: &Path, runs: u32) -> Result<(), Box<dyn Error>> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["boot", "--runs", &runs.to_string(), "--fill"])
        .arg(home)
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().ok_or("no output")?;
    let said = BufReader::new(out).lines().next().ok_or("the child died early")??;
    child.kill()?;
    child.wait()?;
    if said == "full" { Ok(()) } else { Err(said.into()) }
}

/// An agent that never comes back, and counts who waits for it.
struct Never {
    waiting: Arc<AtomicU32>,
    all: u32,
    full: Arc<Notify>,
}

#[async_trait]
impl Invoker for Never {
    fn worst_case(&self, _: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        if self.waiting.fetch_add(1, Ordering::Relaxed) + 1 == self.all {
            self.full.notify_one();
        }
        attempt.cancelled().await;
        Err(Failure::new(Fault::permanent("STOPPED", "the bench is over"), None))
    }
}

fn agents(all: u32) -> (Agents, Arc<Notify>) {
    let full = Arc::new(Notify::new());
    let never = Never { waiting: Arc::default(), all, full: full.clone() };
    (Agents::default().with("sample/echo", Agent::new(Effect::Pure, never)), full)
}

fn fill(home: &Path, runs: u32) -> Result<Value, Box<dyn Error>> {
    let runtime = ground::runtime()?;
    runtime.block_on(async {
        let (agents, full) = agents(runs);
        let engine = ground::engine(ground::open(home)?, sample::workflows(), agents).await?;
        let seat = engine.enlist().await?;
        let (_keep, reins) = ground::reins();
        for _ in 0..runs {
            let (seat, reins) = (seat.clone(), reins.clone());
            let wanted = ground::submission("sample/steps", "{}".to_owned(), Placement::Anywhere);
            tokio::spawn(async move {
                if let Ok((_, drive)) = seat.begin(wanted).await {
                    let _ = drive.drive(reins).await;
                }
            });
        }
        full.notified().await;
        println!("full");
        std::future::pending::<Result<Value, Box<dyn Error>>>().await
    })
}

/// Seconds from opening the store until all runs are taken from the dead, and until all are under way
/// again.
async fn recover(home: &Path, runs: u32) -> Result<(f64, f64), Box<dyn Error>> {
    let (agents, full) = agents(runs);
    let began = Instant::now();
    let engine = ground::engine(ground::open(home)?, sample::workflows(), agents).await?;
    let seat = engine.enlist().await?;
    let worker = Worker::new(seat, None, usize::try_from(runs)?);
    let (stop, stopped) = watch::channel(Stop::GoOn);
    let (tell, mut told) = watch::channel(0.0);
    let working = tokio::spawn(worker.work(stopped, move |report| {
        if let Report::Reclaimed(_) = report {
            let _ = tell.send(began.elapsed().as_secs_f64());
        }
    }));
    full.notified().await;
    let recovered = began.elapsed().as_secs_f64();
    let reclaimed = *told.borrow_and_update();
    stop.send(Stop::Now)?;
    working.await??;
    Ok((reclaimed, recovered))
}
