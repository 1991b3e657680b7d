//! Many runs at once, each of some no-op steps: how near to the disk's own limit do they come?

use std::error::Error;

use consign_basics::sample;
use consign_engine::{Placement, Seat};
use serde_json::{Value, json};

use crate::{
    clock::{here, median, rounded},
    ground::{self, Place},
    raw,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Runs at once
    #[arg(long, default_value_t = 64)]
    runs: u32,
    /// Steps of each
    #[arg(long, default_value_t = 6)]
    steps: u32,
    /// Bytes of each step's result
    #[arg(long, default_value_t = 1024)]
    payload: u32,
    /// How often each side takes its turn
    #[arg(long, default_value_t = 9)]
    rounds: u32,
    #[command(flatten)]
    place: Place,
}

/// Bare inserts one by one take a while: so many are enough to tell.
const SINGLES: usize = 200;

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let runtime = ground::runtime()?;
    let mut figures: [Vec<f64>; 8] = Default::default();
    let mut put = |values: [f64; 8]| {
        for (list, value) in figures.iter_mut().zip(values) {
            list.push(value);
        }
    };
    // The first round warms up and does not count.
    for round in 0..=args.rounds {
        let folder = args.place.folder()?;
        let home = folder.path().join("home");
        let store = ground::open(&home)?;
        let seat = runtime.block_on(async {
            let engine =
                ground::engine(store.clone(), sample::workflows(), sample::agents()).await?;
            Ok::<_, Box<dyn Error>>(engine.enlist().await?)
        })?;
        let before = store.transactions();
        let mut result = Ok(());
        let cost = here(|| result = runtime.block_on(all(args, &seat)));
        result?;
        let batches = store.transactions() - before;
        drop((seat, store));

        let rows = raw::rows(&home)?;
        let batch = rows.len().div_ceil(usize::try_from(batches.max(1))?);
        let bare = raw::bare(&folder.path().join("batched"))?;
        let batched = raw::insert(&bare, &rows, batch)?;
        let bare = raw::bare(&folder.path().join("single"))?;
        let singles = &rows[..rows.len().min(SINGLES)];
        let single = raw::insert(&bare, singles, 1)?;
        if round == 0 {
            continue;
        }
        let (count, wall) = (rows.len() as f64, cost.wall.as_secs_f64());
        let steps = f64::from(args.runs) * f64::from(args.steps);
        let per_second = count / wall;
        let raw_batched = count / batched.wall.as_secs_f64();
        put([
            steps / wall,
            per_second,
            cost.cpu.as_secs_f64() * 1e3 / f64::from(args.runs),
            singles.len() as f64 / single.wall.as_secs_f64(),
            raw_batched,
            per_second / raw_batched,
            batch as f64,
            batched.cpu.as_secs_f64() * 1e3 / f64::from(args.runs),
        ]);
    }
    let [steps, rows, cpu, single, batched, ratio, batch, raw_cpu] = figures.map(median);
    Ok(json!({
        "bench": "steps",
        "runs": args.runs,
        "steps": args.steps,
        "payload": args.payload,
        "steps_per_second": rounded(steps),
        "rows_per_second": rounded(rows),
        "cpu_ms_per_run": rounded(cpu),
        "raw_single_per_second": rounded(single),
        "raw_batched_per_second": rounded(batched),
        "raw_cpu_ms_per_run": rounded(raw_cpu),
        "rows_per_batch": batch,
        "ratio": rounded(ratio),
    }))
}

/// All runs side by side, from their creation to their end.
async fn all(args: &Args, seat: &Seat) -> Result<(), Box<dyn Error>> {
    let input = format!(r#"{{"steps":{},"payload":{}}}"#, args.steps, args.payload);
    let (_keep, reins) = ground::reins();
    let mut runs = tokio::task::JoinSet::new();
    for _ in 0..args.runs {
        let (seat, reins) = (seat.clone(), reins.clone());
        let wanted = ground::submission("sample/steps", input.clone(), Placement::Foreground);
        runs.spawn(async move {
            let (_, drive) = seat.begin(wanted).await?;
            drive.drive(reins).await
        });
    }
    while let Some(left) = runs.join_next().await {
        left??;
    }
    Ok(())
}
