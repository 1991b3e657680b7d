//! Conversations over documents, by the whole program: how well it answers and refuses, whether attacks are acted on, and
//! what a question costs among many passages.

mod cost;
pub(crate) mod trial;

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use self::trial::{Desk, Trouble, attacks, folder, questions, read_attacks, read_questions};
use crate::ground::{Place, beside};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program; by default the `consign` beside this one
    #[arg(long)]
    program: Option<PathBuf>,

    /// Only these parts: questions, attacks, cost
    #[arg(long, value_name = "PART")]
    only: Vec<String>,

    /// List the questions of this half that were answered wrongly
    #[arg(long, value_name = "HALF")]
    wrong: Option<String>,

    /// Passages of the home that a question costs something in
    #[arg(long, default_value_t = 10_000)]
    chunks: usize,

    #[command(flatten)]
    place: Place,
}

type Figures = Result<Value, Trouble>;

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let program = beside(args.program.as_ref())?;
    let place = args.place.folder()?;
    let mut figures = json!({"bench": "conversation"});
    for part in ["questions", "attacks", "cost"] {
        if !args.only.is_empty() && args.only.iter().all(|only| only != part) {
            continue;
        }
        let told = match part {
            "questions" => asked(args, &program, place.path()),
            "attacks" => attacked(&program, place.path()),
            _ => cost::measure(args, &program, place.path()),
        };
        figures[part] = told.map_err(|why| why.to_string())?;
    }
    Ok(figures)
}

/// The folder that this crate lies in has the corpus.
fn corpus() -> PathBuf {
    folder(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/")))
}

/// A home with the documents of the corpus, by words alone or with vectors.
fn desk(program: &Path, place: &Path, vectors: bool) -> Result<Desk, Trouble> {
    let (name, none) = (if vectors { "vectors" } else { "words" }, place.join("no-models"));
    let desk = Desk::new(program, &place.join(name), (!vectors).then_some(none.as_path()));
    desk.ingest(&corpus().join("documents"), &[])?;
    Ok(desk)
}

fn asked(args: &Args, program: &Path, place: &Path) -> Figures {
    let all = read_questions(&corpus())?;
    let mut figures = json!({});
    for vectors in [false, true] {
        let desk = desk(program, place, vectors)?;
        let judged = questions::asked(&desk, &all)?;
        let mut told = json!({"citations": judged.citations, "unfit_citations": judged.unfit});
        for ((split, group), tally) in &judged.tallies {
            told[split][group] = tally.figures();
        }
        if let Some(half) = &args.wrong {
            let of_half = judged.wrong.iter().filter(|(split, _)| split == half);
            told["wrong"] = of_half.map(|(_, told)| json!(told)).collect();
        }
        figures[if vectors { "words and vectors" } else { "words alone" }] = told;
    }
    Ok(figures)
}

fn attacked(program: &Path, place: &Path) -> Figures {
    let place = place.join("attacks");
    std::fs::create_dir_all(&place)?;
    let desk = desk(program, &place, false)?;
    let outcome = attacks::made(&desk, &read_attacks(&corpus())?, &place)?;
    let mut figures =
        json!({"acted_on": outcome.failures, "foreign": outcome.foreign, "broken": outcome.broken});
    for ((by, kind), held) in &outcome.kinds {
        figures[by.as_str()][kind] = json!({
            "all": held.all,
            "stopped_at_the_message": held.stopped,
            "acted_on": held.obeyed,
            "innocent_questions": held.innocent,
            "answered_all_the_same": held.answered,
        });
    }
    Ok(figures)
}
