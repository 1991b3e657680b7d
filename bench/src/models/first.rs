//! The first token of a streamed answer: how long until the text begins.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{alone::over, stage::Stage};
use crate::clock::{median, rounded, share};

const WARMING: u32 = 10;

pub(super) async fn measure(stage: &Stage, streams: u32) -> Result<Value, String> {
    let mut spent: [Vec<f64>; 3] = Default::default();
    for round in 0..WARMING + streams {
        for turn in 0..3 {
            let way = (round as usize + turn) % 3;
            let first = match way {
                0 => bare(stage).await?,
                1 => client(stage).await?,
                _ => run(stage).await?,
            };
            let first = first.ok_or("there was no text")?;
            if round >= WARMING {
                spent[way].push(first.as_secs_f64() * 1e6);
            }
        }
    }
    let [bare, client, run] = &spent;
    let added = |ours: &Vec<f64>| {
        json!({
            "us": rounded(median(ours.clone())),
            "p95_us": rounded(share(ours.clone(), 0.95)),
            "added_us": rounded(over(ours, bare)),
        })
    };
    Ok(json!({
        "bare": {
            "us": rounded(median(bare.clone())),
            "p95_us": rounded(share(bare.clone(), 0.95)),
        },
        "client": added(client),
        "run": added(run),
    }))
}

async fn bare(stage: &Stage) -> Result<Option<Duration>, String> {
    stage.bare.first_token().await.map_err(|error| error.to_string())
}

/// From the question to the first that is told of the answer.
async fn client(stage: &Stage) -> Result<Option<Duration>, String> {
    let (mut first, began) = (None, Instant::now());
    let mut on_delta = |_: &str| {
        first.get_or_insert_with(|| began.elapsed());
    };
    stage.ask(&mut on_delta).await?;
    Ok(first)
}

/// From when the agent is called, its intent being on the disk, to the first that a listener hears.
async fn run(stage: &Stage) -> Result<Option<Duration>, String> {
    let drive = stage.begin().await?;
    let mut pieces = stage.listen(drive.run()).pieces;
    let hearing = tokio::spawn(async move { pieces.recv().await.map(|_| Instant::now()) });
    stage.finish(drive).await?;
    let heard = hearing.await.map_err(|error| error.to_string())?;
    Ok(heard.ok().zip(stage.called()).map(|(heard, called)| heard - called))
}
