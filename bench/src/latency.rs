//! One run at a time: what a step takes from decision to decision, beside the same statements on one
//! bare connection. The two take turns.

use std::error::Error;

use consign_basics::sample;
use consign_engine::{Placement, Seq};
use serde_json::{Value, json};

use crate::{
    clock::{here, median, rounded},
    ground::{self, Place},
    raw,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Turns of each side
    #[arg(long, default_value_t = 20)]
    rounds: u32,
    /// Steps in a turn
    #[arg(long, default_value_t = 30)]
    steps: u32,
    /// Bytes of each step's result
    #[arg(long, default_value_t = 1024)]
    payload: u32,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let runtime = ground::runtime()?;
    let folder = args.place.folder()?;
    let home = folder.path().join("home");
    let store = ground::open(&home)?;
    let engine =
        runtime.block_on(ground::engine(store.clone(), sample::workflows(), sample::agents()))?;
    let seat = runtime.block_on(engine.enlist())?;
    let bare = raw::bare(&folder.path().join("bare"))?;
    let (_keep, reins) = ground::reins();
    let (mut ours, mut theirs, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        let input = format!(r#"{{"steps":{},"payload":{}}}"#, args.steps, args.payload);
        let wanted = ground::submission("sample/steps", input, Placement::Foreground);
        let mut made = None;
        let cost = here(|| {
            made = Some(runtime.block_on(async {
                let (submitted, drive) = seat.begin(wanted).await?;
                drive.drive(reins.clone()).await.map(|_| submitted.run)
            }));
        });
        let run = made.ok_or("no run")??;
        cpu.push(cost.each(args.steps).0);
        let events = runtime.block_on(engine.store().events(&run, Seq(0), usize::MAX >> 1))?;
        let ends: Vec<_> = events.iter().filter(|event| event.kind == "call_completed").collect();
        // An event's instant is that of its decision: from one to the next is a whole step.
        ours.extend(ends.windows(2).map(|pair| pair[1].at.since(pair[0].at).as_secs_f64()));

        let rows = raw::rows(&home)?;
        let last = rows.last().map_or(0, |row| row.run);
        let from = rows.iter().position(|row| row.run == last).unwrap_or(0);
        theirs.extend(raw::replay(&bare, &rows[from..], &raw::a_state(&home)?)?);
    }
    let (ours, theirs) = (median(ours) * 1e3, median(theirs) * 1e3);
    Ok(json!({
        "bench": "latency",
        "step_ms": rounded(ours),
        "raw_ms": rounded(theirs),
        "ratio": rounded(ours / theirs),
        "cpu_us_per_step": rounded(median(cpu)),
    }))
}
