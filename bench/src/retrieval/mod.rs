//! How well passages are found: nDCG@10 by words, by vectors and by both, on labelled sets.
//!
//! A line of a set is `{"passage", "questions": […]}`; only this passage answers these questions. More sets are made of the
//! corpus in `bench/data/conversation`: two halves for each language. `--fit` also fits the calibrations, and says how
//! often right answers are found at the contract's minimum, and passages where there is no answer. The halves called
//! `test` have no part in that.

mod corpus;
mod fit;
mod set;

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use consign_app::local_models::model_folder;
use consign_embeddings::{Arctic, Options};
use serde_json::{Value, json};

use self::set::{Draft, Set, Way};
use crate::clock::rounded;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Sets; those of `bench/data` if none are named
    files: Vec<PathBuf>,

    /// Fit the calibrations as well
    #[arg(long)]
    fit: bool,
}

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(measure(args))
}

/// The model, which must have been fetched.
pub(crate) fn model(threads: usize) -> Result<Arctic, Box<dyn Error>> {
    let folder = model_folder().ok_or("this user has no cache directory")?;
    let loaded = Arctic::load(&folder, &Options { threads });
    Ok(loaded.map_err(|why| format!("{why}; `consign models pull embeddings` fetches it"))?)
}

async fn measure(args: &Args) -> Result<Value, Box<dyn Error>> {
    let model = model(Options::default().threads)?;
    let mut drafts: Vec<Draft> =
        args.files.iter().map(|file| set::read(file)).collect::<Result<_, _>>()?;
    if drafts.is_empty() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        let mut files = Vec::new();
        for entry in fs::read_dir(data.join("retrieval"))? {
            files.push(entry?.path());
        }
        files.sort();
        for file in &files {
            drafts.push(set::read(file)?);
        }
        drafts.extend(corpus::drafts(&data.join("conversation"))?);
    }
    let mut sets = Vec::new();
    for draft in drafts {
        sets.push(Set::of(draft, &model).await?);
    }
    let row = |name: &str, questions: usize, gains: [f64; 3]| {
        let [words, vectors, both] = gains.map(rounded);
        json!({"set": name, "questions": questions, "words": words, "vectors": vectors, "both": both})
    };
    let mut rows = Vec::new();
    let mut sums = [0.0; 3];
    for set in &sets {
        let gains = [Way::Words, Way::Vectors, Way::Both].map(|way| set.gain(way));
        for (sum, gain) in sums.iter_mut().zip(gains) {
            *sum += gain / sets.len() as f64;
        }
        rows.push(row(&set.name, set.questions.len(), gains));
    }
    let all = sets.iter().map(|set| set.questions.len()).sum();
    let mut figures = json!({"bench": "retrieval", "measure": "nDCG@10", "sets": rows, "mean": row("mean", all, sums)});
    if args.fit {
        figures["fit"] = fit::fitted(&sets);
    }
    Ok(figures)
}
