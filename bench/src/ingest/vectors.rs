//! Vectors by CPU time, in turns with ONNX Runtime on the same weights and the same texts.

use std::{
    error::Error,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use consign_app::local_models::{EMBEDDINGS, model_folder};
use consign_knowledge::Embedder;
use serde_json::{Value, json};

use super::{Args, Figures, corpus::Chance};
use crate::{
    clock::{meanwhile, median, rounded},
    retrieval::model,
};

const PEER: &str = include_str!("peer.py");
/// About two hundred tokens, as passages have.
const WORDS_OF_A_TEXT: usize = 75;

pub(super) fn measure(args: &Args, folder: &Path) -> Figures {
    let mut chance = Chance::new(5);
    // As long as passages of documents are: most are full, some are not.
    let length = |number: usize| WORDS_OF_A_TEXT - (number % 5) * 8;
    let texts: Vec<String> = (0..args.texts).map(|number| chance.text(length(number))).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let model = model(1)?;
    let warm = runtime.block_on(model.passages(texts.iter().take(16).cloned().collect()));
    warm?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let given = folder.join("texts.json");
    fs::write(&given, serde_json::to_string(&texts)?)?;
    let mut told = Value::Null;
    for _ in 0..args.rounds {
        let (cost, done) = runtime.block_on(meanwhile(model.passages(texts.clone())));
        done?;
        ours.push(args.texts as f64 / cost.cpu.as_secs_f64());
        if let Some(python) = &args.python {
            told = peer(python, &given)?;
            theirs.push(told["vectors_per_cpu_second"].as_f64().ok_or("the peer gave no figure")?);
        }
    }
    let ours = median(ours);
    let mut figures = json!({"texts": args.texts, "vectors_per_cpu_second": rounded(ours)});
    if !theirs.is_empty() {
        let theirs = median(theirs);
        figures["onnxruntime"] = json!({
            "version": told["version"],
            "tokens": told["tokens"],
            "vectors_per_cpu_second": rounded(theirs),
            "ratio": rounded(ours / theirs),
        });
    }
    Ok(figures)
}

fn peer(python: &Path, texts: &Path) -> Result<Value, Box<dyn Error>> {
    let models = model_folder().ok_or("this user has no cache directory")?;
    let mut command = Command::new(python);
    command.arg("-c").arg(PEER).arg(models.path().join(EMBEDDINGS.folder)).arg(texts);
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err("the peer failed".into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
