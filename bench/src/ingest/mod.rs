//! Taking documents in: pages a second until words are found, and memory; vectors by CPU time, beside ONNX Runtime on the
//! same weights; what that work costs a search beside it; and what a question costs among many passages.

mod beside;
mod corpus;
mod query;
mod text;
mod vectors;

use std::{error::Error, path::PathBuf};

use serde_json::{Value, json};

pub(crate) use self::corpus::Chance;
use crate::ground::{Place, beside};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program; by default the `consign` beside this one
    #[arg(long)]
    program: Option<PathBuf>,

    /// Pages of text as PDF, fifty to a file
    #[arg(long, default_value_t = 1_000)]
    pages: usize,

    /// Passages that become vectors, for the speed of that
    #[arg(long, default_value_t = 400)]
    texts: usize,

    /// A Python that has `onnxruntime`, `tokenizers` and `numpy`, to compare with
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,

    /// Passages of the home that is searched
    #[arg(long, default_value_t = 100_000)]
    chunks: usize,

    /// Questions of a turn
    #[arg(long, default_value_t = 200)]
    questions: usize,

    /// Rounds
    #[arg(long, default_value_t = 3)]
    rounds: usize,

    /// Only these parts: text, vectors, beside, query
    #[arg(long, value_name = "PART")]
    only: Vec<String>,

    #[command(flatten)]
    place: Place,
}

type Figures = Result<Value, Box<dyn Error>>;

pub(crate) fn run(args: &Args) -> Figures {
    let program = beside(args.program.as_ref())?;
    let mut figures = json!({"bench": "ingest"});
    for part in ["text", "vectors", "beside", "query"] {
        if !args.only.is_empty() && args.only.iter().all(|only| only != part) {
            continue;
        }
        let folder = args.place.folder()?;
        figures[part] = match part {
            "text" => text::measure(args, &program, folder.path())?,
            "vectors" => vectors::measure(args, folder.path())?,
            "beside" => beside::measure(args, &program, folder.path())?,
            _ => query::measure(args, folder.path())?,
        };
    }
    Ok(figures)
}
