//! From bytes to verdict.

use std::{error::Error, hint::black_box, path::PathBuf};

use consign_contracts::{Contract, json};
use serde_json::{Value, json};

use crate::clock::{here, median, rounded};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Measure this contract…
    #[arg(long, requires = "file")]
    contract: Option<String>,

    /// …with this document, instead of an envelope of 4.5 KB and an agent request
    #[arg(long, requires = "contract")]
    file: Option<PathBuf>,

    /// Rounds, in each of which every way has its turn
    #[arg(long, default_value_t = 60)]
    rounds: u32,

    /// Documents per turn
    #[arg(long, default_value_t = 300)]
    documents: u32,
}

/// The first document's figures stand at the top; all are in `rows`.
pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let documents: Vec<(String, Vec<u8>)> = match (&args.contract, &args.file) {
        (Some(contract), Some(file)) => vec![(contract.clone(), std::fs::read(file)?)],
        _ => vec![
            ("envelope/envelope".to_owned(), include_bytes!("../data/envelope.json").to_vec()),
            (
                "bridge/agent-request".to_owned(),
                include_bytes!("../data/agent-request.json").to_vec(),
            ),
        ],
    };
    let rows: Vec<Value> = documents
        .iter()
        .map(|(contract, bytes)| measure(args, contract, bytes))
        .collect::<Result<_, _>>()?;
    let mut figures = rows[0].clone();
    figures["bench"] = json!("validate");
    figures["rows"] = json!(rows);
    Ok(figures)
}

fn measure(args: &Args, name: &str, bytes: &[u8]) -> Result<Value, Box<dyn Error>> {
    let contract = Contract::find(name).ok_or_else(|| format!("no contract {name}"))?;
    let schema = contract.schema();
    let document = json::parse(bytes)?;
    if let Some(breach) = schema.check(&document).breaches.first() {
        return Err(format!("the document is not valid: {breach}").into());
    }
    let verdict =
        |bytes| json::parse(bytes).is_ok_and(|document| schema.check(&document).is_valid());
    let bare = |bytes| serde_json::from_slice::<Value>(bytes).is_ok();

    let times = args.documents;
    let mut turns: [(Vec<f64>, Vec<f64>); 4] = Default::default();
    for _ in 0..args.rounds {
        let costs = [
            here(|| repeat(times, || verdict(black_box(bytes)))),
            here(|| repeat(times, || schema.check(black_box(&document)).is_valid())),
            here(|| repeat(times, || bare(black_box(bytes)))),
            here(|| repeat(times, || json::parse(black_box(bytes)).is_ok())),
        ];
        for (turn, cost) in turns.iter_mut().zip(costs) {
            let (cpu, wall) = cost.each(times);
            turn.0.push(cpu);
            turn.1.push(wall);
        }
    }
    let [from_bytes, parsed, bare, parse] = turns.map(|(cpu, wall)| (median(cpu), median(wall)));
    Ok(json!({
        "contract": name,
        "bytes": bytes.len(),
        "cpu_us_from_bytes": rounded(from_bytes.0),
        "cpu_us_parsed": rounded(parsed.0),
        "cpu_us_parse": rounded(parse.0),
        "cpu_us_serde_json": rounded(bare.0),
        "ratio": rounded(from_bytes.0 / bare.0),
        "wall_us_from_bytes": rounded(from_bytes.1),
        "wall_us_parsed": rounded(parsed.1),
        "wall_us_serde_json": rounded(bare.1),
    }))
}

fn repeat(times: u32, work: impl Fn() -> bool) {
    for _ in 0..times {
        assert!(black_box(work()), "the document stopped being valid");
    }
}
