//! The service with accounts: what submitting, reading and logging in cost the server, and what one user's flood costs
//! another.
//!
//! The server is a process of its own, and only its CPU time counts. Load comes from this process over connections that
//! stay open; on a machine with few cores it takes its share of them, so times under load are times of both.

mod client;
mod fairness;
mod log_in;
mod process;
mod show;
mod submit;
mod waits;

use std::{error::Error, path::PathBuf};

use serde_json::{Value, json};

use self::process::Service;
use crate::ground::{Place, beside};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program; by default the `consign` beside this one
    #[arg(long)]
    program: Option<PathBuf>,

    /// Rounds of each part
    #[arg(long, default_value_t = 5)]
    rounds: u32,

    /// Connections of many clients, and of the user who floods
    #[arg(long, default_value_t = 64)]
    clients: u32,

    /// Submissions in a round
    #[arg(long, default_value_t = 4_000)]
    submits: u32,

    /// Requests for a job in a round
    #[arg(long, default_value_t = 10_000)]
    gets: u32,

    /// Requests of the other user in a turn, for its latencies
    #[arg(long, default_value_t = 1_000)]
    looks: u32,

    /// Turns of each kind in which one user floods, and in which none does
    #[arg(long, default_value_t = 15)]
    turns: u32,

    /// How long the other user pauses before each request
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pause: u64,

    /// Log-ins in a round
    #[arg(long, default_value_t = 60)]
    log_ins: u32,

    /// Only these parts: submit, show, fairness, log-in
    #[arg(long, value_name = "PART")]
    only: Vec<String>,

    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let program = beside(args.program.as_ref())?;
    let mut figures = json!({"bench": "service", "clients": args.clients});
    let parts: [(&str, Part); 4] = [
        ("submit", submit::measure),
        ("show", show::measure),
        ("fairness", fairness::measure),
        ("log-in", log_in::measure),
    ];
    for (name, measure) in parts {
        if args.only.is_empty() || args.only.iter().any(|only| only == name) {
            // Each in a home of its own: what one leaves must not be in the way of the next.
            let folder = args.place.folder()?;
            figures[name] = measure(args, &Service::home(&program, folder.path())?)?;
        }
    }
    Ok(figures)
}

type Part = fn(&Args, &process::Prepared) -> Result<Value, Box<dyn Error>>;
