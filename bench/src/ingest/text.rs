//! Pages until they are found by words, by the program itself; then until all of them have vectors.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Args, Figures, corpus::write_pages};
use crate::clock::{children_cpu, median, rounded};

pub(super) fn measure(args: &Args, program: &Path, folder: &Path) -> Figures {
    let pages = folder.join("pages");
    write_pages(&pages, args.pages)?;
    let none = folder.join("no-models");
    let (mut alone, mut beside, mut memory) = (Vec::new(), Vec::new(), 0);
    for round in 0..args.rounds {
        let run =
            |name: &str, models: Option<&Path>| -> Result<Ingest, Box<dyn std::error::Error>> {
                let mut command = Command::new(program);
                command.args(["ingest", "--json"]).arg(&pages);
                command.env("CONSIGN_HOME", folder.join(format!("{name}-{round}")));
                if let Some(models) = models {
                    command.env("CONSIGN_MODELS", models);
                }
                watched(command)
            };
        let taken = run("alone", Some(&none))?;
        memory = memory.max(taken.megabytes);
        alone.push(taken.seconds);
        let taken = run("beside", None)?;
        memory = memory.max(taken.megabytes);
        beside.push(taken.seconds);
    }
    // The rest of the last home.
    let mut rest = Command::new(program);
    rest.args(["ingest", "--wait-vectors", "--json"]);
    rest.env("CONSIGN_HOME", folder.join(format!("beside-{}", args.rounds - 1)));
    let cpu = children_cpu();
    let filled = watched(rest)?;
    let cpu = children_cpu().saturating_sub(cpu).as_secs_f64();
    let counts: Value = serde_json::from_str(&search(program, folder, args.rounds)?)?;
    let (alone, beside) = (median(alone), median(beside));
    Ok(json!({
        "pages": args.pages,
        "seconds": rounded(alone),
        "pages_per_second": rounded(args.pages as f64 / alone),
        "seconds_with_vectors_beside": rounded(beside),
        "most_megabytes": memory,
        "rest_of_vectors": {
            "vectors": counts["search"]["vectors_done"],
            "of": counts["search"]["vectors_total"],
            "seconds": rounded(filled.seconds),
            "cpu_seconds": rounded(cpu),
            "most_megabytes": filled.megabytes,
        },
    }))
}

fn search(
    program: &Path,
    folder: &Path,
    rounds: usize,
) -> Result<String, Box<dyn std::error::Error>> {
    let mut command = Command::new(program);
    command.args(["search", "--json", "a report of the committee"]);
    command.env("CONSIGN_HOME", folder.join(format!("beside-{}", rounds - 1)));
    Ok(String::from_utf8(command.output()?.stdout)?)
}

struct Ingest {
    seconds: f64,
    /// Of the process and its children together.
    megabytes: u64,
}

fn watched(mut command: Command) -> Result<Ingest, Box<dyn std::error::Error>> {
    let began = Instant::now();
    let mut child: Child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut most = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        most = most.max(kilobytes(child.id()));
        sleep(Duration::from_millis(20));
    };
    if !status.success() {
        return Err(format!("{command:?}: {status}").into());
    }
    Ok(Ingest { seconds: began.elapsed().as_secs_f64(), megabytes: most / 1024 })
}

/// What a process and its children have in memory.
fn kilobytes(process: u32) -> u64 {
    let read = |name: &str| fs::read_to_string(format!("/proc/{process}/{name}"));
    let status = read("status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let own = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let below: u64 = children
        .flat_map(|line| {
            line.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()
        })
        .map(kilobytes)
        .sum();
    own.unwrap_or_default() + below
}
