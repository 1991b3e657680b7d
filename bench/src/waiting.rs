//! What many waiting runs cost a worker in memory, beside a worker with none.

use std::{
    error::Error,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use consign_basics::sample;
use consign_engine::Placement;
use serde_json::{Value, json};

use crate::{
    clock::rounded,
    ground::{self, Place, beside},
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Waiting runs
    #[arg(long, default_value_t = 10_000)]
    runs: u32,
    /// The program; by default the `consign` beside this one
    #[arg(long)]
    program: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let program = beside(args.program.as_ref())?;
    let folder = args.place.folder()?;
    let (empty, full) = (folder.path().join("empty"), folder.path().join("full"));
    drop(ground::open(&empty)?);
    fill(&full, args.runs)?;
    let (empty, full) = (megabytes(&program, &empty)?, megabytes(&program, &full)?);
    Ok(json!({
        "bench": "waiting",
        "runs": args.runs,
        "empty_mb": rounded(empty),
        "waiting_mb": rounded(full),
        "above_mb": rounded(full - empty),
    }))
}

/// Runs that wait for a person, with a deadline far away.
fn fill(home: &Path, runs: u32) -> Result<(), Box<dyn Error>> {
    let runtime = ground::runtime()?;
    runtime.block_on(async {
        let store = ground::open(home)?;
        let engine = ground::engine(store, sample::workflows(), sample::agents()).await?;
        let seat = engine.enlist().await?;
        let (_keep, reins) = ground::reins();
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..runs {
            let (seat, reins) = (seat.clone(), reins.clone());
            let input = r#"{"asks":1,"deadline_seconds":86400}"#.to_owned();
            let wanted = ground::submission("sample/approval", input, Placement::Anywhere);
            waiting.spawn(async move {
                let (_, drive) = seat.begin(wanted).await?;
                drive.drive(reins).await
            });
        }
        while let Some(left) = waiting.join_next().await {
            left??;
        }
        Ok(())
    })
}

/// The most memory that a worker had in its first seconds.
fn megabytes(program: &Path, home: &Path) -> Result<f64, Box<dyn Error>> {
    let mut worker = Command::new(program)
        .arg("worker")
        .env("CONSIGN_HOME", home)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let began = Instant::now();
    let mut most = 0.0;
    while began.elapsed() < Duration::from_secs(3) {
        if let Some(ended) = worker.try_wait()? {
            return Err(format!("the worker ended: {ended}").into());
        }
        most = resident(worker.id()).unwrap_or(most).max(most);
        std::thread::sleep(Duration::from_millis(50));
    }
    worker.kill()?;
    worker.wait()?;
    Ok(most)
}

fn resident(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok().map(|kb| kb / 1024.0)
}
