//! The start of the program, which every command pays.

use std::{
    error::Error,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    clock::{in_children, median, rounded},
    ground::beside,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program; by default the `consign` beside this one
    #[arg(long)]
    program: Option<PathBuf>,

    /// Rounds of ten starts each
    #[arg(long, default_value_t = 20)]
    rounds: u32,
}

const STARTS: u32 = 10;

/// Milliseconds, beside those of `true`, which does nothing.
pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let program = beside(args.program.as_ref())?;
    let begin = |program: &PathBuf, argument: &str| {
        Command::new(program).arg(argument).stdout(Stdio::null()).status()
    };
    if !begin(&program, "--version")?.success() {
        return Err(format!("{} --version failed", program.display()).into());
    }
    let nothing = PathBuf::from("true");
    let (mut ours, mut bare) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
    for _ in 0..args.rounds {
        for (program, turn) in [(&program, &mut ours), (&nothing, &mut bare)] {
            let cost = in_children(|| {
                for _ in 0..STARTS {
                    // It has just worked; a failure now would only show as a cheaper start.
                    let _ = begin(program, "--version");
                }
            });
            let (cpu, wall) = cost.each(STARTS);
            turn.0.push(cpu / 1000.0);
            turn.1.push(wall / 1000.0);
        }
    }
    Ok(json!({
        "bench": "start",
        "cpu_ms": rounded(median(ours.0)),
        "wall_ms": rounded(median(ours.1)),
        "cpu_ms_true": rounded(median(bare.0)),
        "wall_ms_true": rounded(median(bare.1)),
    }))
}
