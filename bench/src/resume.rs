//! Taking up a run again: does it matter how long its history is?

use std::{
    error::Error,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use async_trait::async_trait;
use consign_basics::sample;
use consign_engine::{
    Agent, Agents, Attempt, Data, Effect, Failure, Fault, Invoker, Nanos, Placement, Reply, RunId,
    Stop,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::{
    clock::{here, median, rounded},
    ground::{self, Place},
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The newest event of the runs that are taken up
    #[arg(long, value_delimiter = ',', default_values_t = [63, 1_023, 10_047])]
    events: Vec<u64>,
    /// How often each is taken up
    #[arg(long, default_value_t = 15)]
    rounds: u32,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let folder = args.place.folder()?;
    let homes = args.events.iter().map(|events| {
        let home = folder.path().join(events.to_string());
        grow(&home, *events).map(|run| (*events, home, run))
    });
    let homes = homes.collect::<Result<Vec<_>, _>>()?;
    let mut figures = vec![<[Vec<f64>; 4]>::default(); homes.len()];
    for _ in 0..args.rounds {
        for ((_, home, run), lists) in homes.iter().zip(&mut figures) {
            for (list, value) in lists.iter_mut().zip(take_up(home, run)?) {
                list.push(value);
            }
        }
    }
    let rows = homes.iter().zip(figures).map(|((events, ..), lists)| {
        let [resume, append, cpu, bytes] = lists.map(median);
        json!({
            "events": events,
            "resume_seconds": resume,
            "append_seconds": append,
            "cpu_seconds": cpu,
            "bytes_read": bytes,
        })
    });
    let rows: Vec<_> = rows.collect();
    let first = |name: &str, row: &Value| {
        rounded(row[name].as_f64().unwrap_or(0.0) / rows[0][name].as_f64().unwrap_or(1.0))
    };
    let slower: Vec<_> = rows.iter().map(|row| first("resume_seconds", row)).collect();
    let bytes: Vec<_> = rows.iter().map(|row| first("bytes_read", row)).collect();
    Ok(
        json!({ "bench": "resume", "rows": rows, "times_first": slower, "bytes_times_first": bytes }),
    )
}

/// Answers so many calls, then none any more.
struct Until {
    left: AtomicU64,
    called: Arc<Notify>,
    done: Arc<Notify>,
}

#[async_trait]
impl Invoker for Until {
    fn worst_case(&self, _: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        self.called.notify_one();
        let more = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if more.is_err() {
            self.done.notify_one();
            attempt.cancelled().await;
            let fault = Fault::permanent("STOPPED", "the bench stops here");
            return Err(Failure::new(fault, None));
        }
        Ok(Reply::new(Data::of("x".repeat(1024).as_str()), Nanos::ZERO))
    }
}

/// With word of the first call, and of the one that is not answered.
fn agents(answers: u64) -> (Agents, Arc<Notify>, Arc<Notify>) {
    let (called, done) = <(Arc<Notify>, Arc<Notify>)>::default();
    let until = Until { left: AtomicU64::new(answers), called: called.clone(), done: done.clone() };
    (Agents::default().with("sample/echo", Agent::new(Effect::Pure, until)), called, done)
}

/// A run with so many events whose last call never came back.
fn grow(home: &Path, events: u64) -> Result<RunId, Box<dyn Error>> {
    let runtime = ground::runtime()?;
    // Two events at first, two more with each step.
    let (agents, _, done) = agents((events - 1) / 2);
    runtime.block_on(async {
        let store = ground::open(home)?;
        let engine = ground::engine(store, sample::workflows(), agents).await?;
        let seat = engine.enlist().await?;
        let input = r#"{"steps":1000000}"#.to_owned();
        let wanted = ground::submission("sample/steps", input, Placement::Foreground);
        let (submitted, drive) = seat.begin(wanted).await?;
        let (stop, reins) = ground::reins();
        let driving = tokio::spawn(drive.drive(reins));
        done.notified().await;
        stop.send(Stop::Now)?;
        driving.await??;
        let row = engine.store().row(&submitted.run).await?;
        if row.seq.0 != events {
            return Err(format!("the run has event {}, not {events}", row.seq).into());
        }
        Ok(submitted.run)
    })
}

/// Takes the run, makes one step, and lets it go: seconds to take it, seconds for the step, seconds
/// of CPU and bytes read in taking it.
fn take_up(home: &Path, run: &RunId) -> Result<[f64; 4], Box<dyn Error>> {
    let runtime = ground::runtime()?;
    // A call that is lost each time would rest in between.
    let (agents, called, done) = agents(1);
    let store = ground::open(home)?;
    let engine = runtime.block_on(ground::engine(store, sample::workflows(), agents))?;
    let seat = runtime.block_on(engine.enlist())?;
    let read = bytes_read()?;
    let mut drive = None;
    let cost = here(|| drive = Some(runtime.block_on(seat.take(run))));
    let read = bytes_read()? - read;
    let drive = drive.ok_or("no drive")??;
    let (stop, reins) = ground::reins();
    let began = Instant::now();
    let append = runtime.block_on(async {
        let driving = tokio::spawn(drive.drive(reins));
        called.notified().await;
        let append = began.elapsed();
        done.notified().await;
        stop.send(Stop::Now)?;
        driving.await??;
        Ok::<_, Box<dyn Error>>(append)
    })?;
    Ok([cost.wall.as_secs_f64(), append.as_secs_f64(), cost.cpu.as_secs_f64(), read])
}

fn bytes_read() -> Result<f64, Box<dyn Error>> {
    let io = std::fs::read_to_string("/proc/self/io")?;
    let read = io.lines().find_map(|line| line.strip_prefix("rchar: ")).ok_or("no rchar")?;
    Ok(read.parse()?)
}
