//! One supervised job of very many interactions: does an interaction cost the same at the end as at the beginning?

use std::{error::Error, fs, path::Path};

use consign_app::{
    Home,
    foreground::{Foreground, Unobserved},
    jobs::{
        self, Activate, Advice, AgentSource, HistoryPage, JobPlace, NewJob, OpenJob, Pace, Purpose,
    },
};
use consign_engine::{Data, Owner, Stop};
use consign_supervised::{
    history::{Head, HistoryFile},
    input::Thresholds,
};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{
    clock::{median, own_cpu, rounded},
    ground::{self, Place},
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Interactions of the job
    #[arg(long, default_value_t = 100_000)]
    interactions: u64,
    /// Appends to a history alone
    #[arg(long, default_value_t = 100_000)]
    appends: u64,
    /// The history is rotated at so many bytes
    #[arg(long, default_value_t = 20_000_000)]
    rotate: u64,
    /// Interactions that are read one by one, from all over the history
    #[arg(long, default_value_t = 200)]
    reads: u64,
    #[command(flatten)]
    place: Place,
}

/// Interactions that are measured together.
const BATCH: u64 = 1000;

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let runtime = ground::runtime()?;
    let folder = args.place.folder()?;
    let home = folder.path().join("home");
    fs::create_dir_all(&home)?;
    fs::write(home.join("jobs.toml"), format!("rotate_bytes = {}\n", args.rotate))?;
    let script = folder.path().join("script.json");
    fs::write(&script, said().to_string())?;
    let mut figures = runtime.block_on(measure(args, &home, &script))?;
    let (first, last) = appended(args, &folder.path().join("alone"))?;
    figures["first_thousand_appends_cpu_ms"] = rounded(first).into();
    figures["last_thousand_appends_cpu_ms"] = rounded(last).into();
    figures["append_ratio"] = rounded(last / first).into();
    Ok(figures)
}

/// The CPU time of the first and the last thousand appends to a history alone, in milliseconds: the median of five
/// hundreds each, so that a rotation does not count.
fn appended(args: &Args, folder: &Path) -> Result<(f64, f64), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    let head = Head { job_id: "bench".to_owned(), created_at: "2026-01-01T00:00:00Z".to_owned() };
    let mut history = HistoryFile::create(folder, &head, args.rotate)?;
    let prompt = "x".repeat(1200);
    let mut hundreds = Vec::new();
    for hundred in 0..args.appends / 100 {
        let before = own_cpu();
        for number in 0..100 {
            let own = json!({
                "sequence": hundred * 100 + number,
                "timestamp": "2026-01-01T00:00:00Z",
                "state_before": "PENDING",
                "request": {"prompt": prompt, "files_context": []},
                "response": {"status": "SUCCESS", "action": "COMPLETED"},
            });
            history.append(&[Data::of(&own)], &[], false)?;
        }
        hundreds.push((own_cpu() - before).as_secs_f64() * 1e4);
    }
    let some = hundreds.len().min(10);
    let last = hundreds.split_off(hundreds.len() - some);
    hundreds.truncate(some);
    Ok((median(hundreds), median(last)))
}

/// A worker that is always done, and a supervisor who always sends it back.
fn said() -> Value {
    let say = |action: &str| json!({"action": action, "evidence_files": ["a.txt"], "summary_for_supervisor": "It is as it is."});
    json!([
        {"agent": "Worker", "response": say("COMPLETED"), "times": 0, "cost_usd": 0.0034},
        {"agent": "Supervisor", "response": say("RETRY"), "times": 0, "cost_usd": 0.0034},
    ])
}

async fn measure(args: &Args, folder: &Path, script: &Path) -> Result<Value, Box<dyn Error>> {
    let home = Home::open(folder.to_owned()).await?;
    let place = jobs::place(&jobs::default_jobs_dir(folder), "bench", false)?;
    let by = home.user.clone();
    let wanted = NewJob {
        place: place.clone(),
        objective: "Measure.".to_owned(),
        phases: Vec::new(),
        thresholds: Thresholds { cost: None, minutes: None },
        require_approval: false,
        sensitive: false,
        repo: None,
        roles: None,
        owner: Owner::from("bench"),
        by: by.clone(),
    };
    let job = jobs::new(&home, wanted).await?;
    fs::write(place.directory.join("workspace/a.txt"), "a")?;
    jobs::activate(&home, &job, Activate::Paused, &by).await?;
    let agents = AgentSource { script: Some(script.to_owned()), ..AgentSource::default() };
    // The first batch warms up.
    go_on(&home, &place, &agents, 2 * BATCH / 10).await?;
    let first = batch(&home, &place, &agents).await?;
    let left = args.interactions.saturating_sub(2 * BATCH);
    go_on(&home, &place, &agents, left).await?;
    let last = batch(&home, &place, &agents).await?;
    let job = open(&home, &place).await?;
    let count = job.state.job.interactions;
    let (mut worst, mut sum) = (0.0_f64, 0.0);
    for read in 0..args.reads {
        let at = read * 7919 % count;
        let page = HistoryPage { from: Some(at), to: Some(at) };
        let mut found = 0;
        let before = own_cpu();
        jobs::history(&home, &job, page, |_| {
            found += 1;
            Ok(true)
        })
        .await?;
        let took = (own_cpu() - before).as_secs_f64() * 1e3;
        assert_eq!(found, 1, "interaction {at}");
        worst = worst.max(took);
        sum += took;
    }
    let view = jobs::status(&home, &job).await?.json();
    let segments = fs::read_dir(place.directory.join("history"))?.count();
    Ok(json!({
        "interactions": count,
        "first_thousand_cpu_ms": rounded(first),
        "last_thousand_cpu_ms": rounded(last),
        "ratio": rounded(last / first),
        "read_cpu_ms": rounded(sum / args.reads as f64),
        "read_worst_cpu_ms": rounded(worst),
        "peak_memory_mb": rounded(peak_memory()),
        "files_of_history": segments,
        "cumulative_cost": view["metrics"]["cumulative_cost"],
        "expected_cost": count as f64 * 0.34,
    }))
}

async fn open(home: &Home, place: &JobPlace) -> Result<OpenJob, Box<dyn Error>> {
    Ok(jobs::open(home, place, Purpose::Look).await?)
}

/// The CPU time of a thousand interactions, in milliseconds.
async fn batch(home: &Home, place: &JobPlace, agents: &AgentSource) -> Result<f64, Box<dyn Error>> {
    let from = open(home, place).await?.state.job.interactions;
    let before = own_cpu();
    go_on(home, place, agents, BATCH).await?;
    let took = (own_cpu() - before).as_secs_f64() * 1e3;
    let made = open(home, place).await?.state.job.interactions - from;
    Ok(took * BATCH as f64 / made as f64)
}

/// Makes at least so many interactions. Whenever the job is stuck, it is advised.
async fn go_on(
    home: &Home,
    place: &JobPlace,
    agents: &AgentSource,
    wanted: u64,
) -> Result<(), Box<dyn Error>> {
    let from = open(home, place).await?.state.job.interactions;
    let mut foreground = Foreground::new(&home.engine).await?;
    let (_go_on, stop) = watch::channel(Stop::GoOn);
    let by = &home.user;
    loop {
        let job = open(home, place).await?;
        if job.state.job.interactions >= from + wanted {
            return Ok(());
        }
        if job.status().as_str() == "INTERVENTION_REQUIRED" {
            let advice = Advice { text: "Go on.".to_owned(), reset: true };
            jobs::advise(home, &job, &advice, by).await?;
        }
        let job = open(home, place).await?;
        let drive = jobs::begin_drive(home, &job, Pace::Free, agents, &foreground, by).await?;
        foreground.go_on(&job.run, drive, &stop, &mut Unobserved).await?;
    }
}

/// The most memory that this process had, in megabytes.
fn peak_memory() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
