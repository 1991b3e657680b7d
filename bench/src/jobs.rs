//! What `consign job list` and `consign job status` cost in a home of very many jobs.

use std::{error::Error, path::PathBuf, process::Command};

use consign_app::{
    Home,
    jobs::{self, NewJob},
};
use consign_engine::Owner;
use consign_supervised::input::Thresholds;
use serde_json::{Value, json};

use crate::{
    clock::{in_children, median, rounded},
    ground::{self, Place},
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Jobs in the home
    #[arg(long, default_value_t = 10_000)]
    jobs: u32,
    /// How often each command is measured
    #[arg(long, default_value_t = 15)]
    rounds: u32,
    /// The program to measure
    #[arg(long)]
    program: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let folder = args.place.folder()?;
    let home = folder.path().join("home");
    std::fs::create_dir_all(&home)?;
    ground::runtime()?.block_on(make(&home, args.jobs))?;
    let program = ground::beside(args.program.as_ref())?;
    let middle = format!("job-{}", args.jobs / 2);
    let commands: [(&str, &[&str]); 4] = [
        ("list", &["job", "list"]),
        ("list_by_status", &["job", "list", "--status", "DRAFT"]),
        ("list_all", &["job", "list", "--all"]),
        ("status", &["job", "status", &middle]),
    ];
    let mut figures = json!({ "jobs": args.jobs });
    for (name, command) in commands {
        let mut spent = Vec::new();
        for _ in 0..args.rounds {
            let mut failed = None;
            let cost = in_children(|| {
                let output =
                    Command::new(&program).args(command).env("CONSIGN_HOME", &home).output();
                failed = output.map_or(true, |output| !output.status.success()).then_some(name);
            });
            if let Some(name) = failed {
                return Err(format!("{name} failed").into());
            }
            spent.push(cost.cpu.as_secs_f64() * 1e3);
        }
        figures[format!("{name}_cpu_ms")] = rounded(median(spent)).into();
    }
    Ok(figures)
}

async fn make(folder: &std::path::Path, count: u32) -> Result<(), Box<dyn Error>> {
    let home = Home::open(folder.to_owned()).await?;
    for number in 0..count {
        let place = jobs::place(&jobs::default_jobs_dir(folder), &format!("job-{number}"), false)?;
        let wanted = NewJob {
            place,
            objective: "Measure.".to_owned(),
            phases: Vec::new(),
            thresholds: Thresholds::default(),
            require_approval: false,
            sensitive: false,
            repo: None,
            roles: None,
            owner: Owner::from("bench"),
            by: home.user.clone(),
        };
        jobs::new(&home, wanted).await?;
    }
    Ok(())
}
