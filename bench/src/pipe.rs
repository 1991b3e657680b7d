//! Envelopes through a pipe: `consign process --stream` with a stage that passes everything on.

use std::{
    error::Error,
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    clock::{here, in_children, median, rounded},
    ground::beside,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program; by default the `consign` beside this one
    #[arg(long)]
    program: Option<PathBuf>,

    /// Rounds
    #[arg(long, default_value_t = 7)]
    rounds: u32,

    /// Envelopes in each
    #[arg(long, default_value_t = 20_000)]
    envelopes: u32,
}

pub(crate) const PASS: &str = "name = \"pass\"\n[[stage]]\nname = \"pass\"\nagent = \"pass\"\n";

/// An envelope of 4.5 KB that has everything before it.
pub(crate) fn envelope() -> Result<String, Box<dyn Error>> {
    let mut envelope: Value = serde_json::from_slice(include_bytes!("../data/envelope.json"))?;
    envelope["current_stage"] = json!("start");
    envelope["terminated"] = json!(false);
    for pause in ["clarification", "confirmation"] {
        envelope[format!("{pause}_pending")] = json!(false);
    }
    for reason in ["terminal_reason", "termination_reason", "completed_at"] {
        envelope[reason] = Value::Null;
    }
    envelope["agent_hop_count"] = json!(1);
    // More of what it has most of.
    let history = envelope["processing_history"].as_array_mut().ok_or("it has no history")?;
    history.extend_from_within(..2);
    Ok(serde_json::to_string(&envelope)?)
}

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let program = beside(args.program.as_ref())?;
    let dir = tempfile::tempdir()?;
    let envelope = envelope()?;
    std::fs::write(dir.path().join("pass.toml"), PASS)?;
    let (many, one) = (dir.path().join("many"), dir.path().join("one"));
    lines(&many, &envelope, args.envelopes)?;
    lines(&one, &envelope, 1)?;
    let process = |input: &Path| -> Result<Value, Box<dyn Error>> {
        let output = dir.path().join("output");
        let status = Command::new(&program)
            .args(["process", "--stream", "--pipeline"])
            .arg(dir.path().join("pass.toml"))
            .env("CONSIGN_HOME", dir.path().join("home"))
            .stdin(File::open(input)?)
            .stdout(File::create(&output)?)
            .stderr(Stdio::inherit())
            .status()?;
        let written = std::fs::read_to_string(&output)?;
        let last: Value = serde_json::from_str(written.lines().last().unwrap_or_default())?;
        if !status.success() || last["terminal_reason"] != "completed_successfully" {
            return Err(format!("consign process failed: {status}, {last}").into());
        }
        Ok(json!(written.lines().count()))
    };
    process(&one)?;
    let (mut ours, mut bare, mut wall) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        let (mut start, mut all) = (Ok(Value::Null), Ok(Value::Null));
        let start_cost = in_children(|| start = process(&one));
        let cost = in_children(|| all = process(&many));
        if start? != json!(1) || all? != json!(args.envelopes) {
            return Err("some envelopes did not come back".into());
        }
        let each = f64::from(args.envelopes);
        ours.push((cost.cpu.saturating_sub(start_cost.cpu)).as_secs_f64() * 1e6 / each);
        wall.push((cost.wall.saturating_sub(start_cost.wall)).as_secs_f64() * 1e6 / each);
        let parsed = here(|| {
            for _ in 0..args.envelopes {
                let read: Option<Value> = serde_json::from_str(&envelope).ok();
                std::hint::black_box(read.map(|read| read.to_string()));
            }
        });
        bare.push(parsed.each(args.envelopes).0);
    }
    let (ours, bare) = (median(ours), median(bare));
    Ok(json!({
        "bench": "pipe",
        "envelope_bytes": envelope.len(),
        "cpu_us": rounded(ours),
        "wall_us": rounded(median(wall)),
        "cpu_us_serde_json": rounded(bare),
        "ratio": rounded(ours / bare),
    }))
}

fn lines(path: &Path, line: &str, count: u32) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for _ in 0..count {
        writeln!(file, "{line}")?;
    }
    file.flush()
}
