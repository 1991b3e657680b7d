//! `consign-bench`: what Consign costs, beside what the machine itself can do in the same run.
//!
//! Costs are CPU time; wall time stands beside it. Machines are noisy, so what is compared is
//! measured in turns, and the median of many rounds counts.

#![expect(clippy::print_stdout, reason = "printing figures is what it is for")]

mod clock;
mod start;
mod validate;

use std::error::Error;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "consign-bench",
    version,
    about = "What Consign costs on this machine",
    max_term_width = 100
)]
struct Args {
    /// Write one JSON object
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    /// From bytes to verdict, beside a bare serde_json parse of the same bytes
    Validate(validate::Args),
    /// The start of `consign --version`
    Start(start::Args),
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let figures = match &args.bench {
        Bench::Validate(args) => validate::run(args)?,
        Bench::Start(args) => start::run(args)?,
    };
    match args.json {
        true => println!("{figures}"),
        false => println!("{figures:#}"),
    }
    Ok(())
}
