//! A question about a repository of a million lines.

use std::{
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};

use crate::{
    clock::{median, rounded},
    ground::beside,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program; by default the `consign` beside this one
    #[arg(long)]
    program: Option<PathBuf>,

    /// Rounds
    #[arg(long, default_value_t = 5)]
    rounds: u32,

    /// Lines of the repository
    #[arg(long, default_value_t = 1_000_000)]
    lines: usize,

    /// A repository of yours instead
    #[arg(long)]
    repo: Option<PathBuf>,

    /// The question
    #[arg(long, default_value = "how does authentication work?")]
    question: String,
}

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let program = beside(args.program.as_ref())?;
    let dir = tempfile::tempdir()?;
    let repo = match &args.repo {
        Some(repo) => repo.clone(),
        None => made(&dir.path().join("repo"), args.lines)?,
    };
    let home = dir.path().join("home");
    let ask = |until: &str| -> Result<f64, Box<dyn Error>> {
        let began = Instant::now();
        let mut command = Command::new(&program);
        command.env("CONSIGN_HOME", &home).arg("process").arg("--repo").arg(&repo);
        if !until.is_empty() {
            command.args(["--until", until]);
        }
        let envelope = Command::new(&program)
            .env("CONSIGN_HOME", &home)
            .args(["envelope", "new", &args.question])
            .output()?;
        let path = dir.path().join("envelope.json");
        fs::write(&path, &envelope.stdout)?;
        let output = command.arg(&path).stderr(Stdio::inherit()).output()?;
        let took = began.elapsed().as_secs_f64();
        let envelope: Value = serde_json::from_slice(&output.stdout)?;
        let evidence = envelope["outputs"]["execution"]["evidence"].as_array().map_or(0, Vec::len);
        let answered = envelope["terminal_reason"] == "completed_successfully";
        if evidence == 0 || until.is_empty() && !answered {
            return Err(format!("no answer: {}", envelope["terminal_reason"]).into());
        }
        Ok(took)
    };
    ask("")?;
    let (mut evidence, mut answer) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        evidence.push(ask("execution")?);
        answer.push(ask("")?);
    }
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    Ok(json!({
        "bench": "question",
        "lines": args.lines,
        "evidence_seconds": rounded(median(evidence)),
        "answer_seconds": rounded(median(answer)),
        "peak_mb": rounded(peak as f64 / 1024.0),
    }))
}

/// A repository of many modules, one of which is about authentication.
fn made(root: &Path, lines: usize) -> Result<PathBuf, Box<dyn Error>> {
    const EACH: usize = 125;
    let topics = ["order", "invoice", "report", "stock", "parcel", "price", "auth", "mail"];
    let mut file = 0;
    while file * EACH < lines {
        let topic = topics[file % topics.len()];
        // One in a thousand is about authentication, so that it has to be found.
        let topic = if topic == "auth" && file % 1000 != 6 { "ledger" } else { topic };
        let folder = root.join("src").join(format!("{topic}_{}", file / 400));
        fs::create_dir_all(&folder)?;
        let mut text = String::new();
        for function in 0..EACH / 5 {
            let name = if topic == "auth" { "authenticate" } else { topic };
            writeln!(text, "def {name}_{file}_{function}(request, store):")?;
            writeln!(text, "    \"\"\"Handles {topic} number {function}.\"\"\"")?;
            writeln!(text, "    found = store.find(request.{topic}_id)")?;
            writeln!(text, "    return helper_{}(found, request)", (file * 7 + function) % 997)?;
            writeln!(text)?;
        }
        fs::write(folder.join(format!("{topic}_{file}.py")), text)?;
        file += 1;
    }
    Ok(root.to_owned())
}
