//! Many calls at once.

use std::{error::Error, sync::Arc};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{double::Double, stage::Stage, way::Way};
use crate::clock::{Cost, meanwhile, median, rounded};

pub(super) struct Size {
    pub(super) at_once: u32,
    /// Calls that each of them makes, one after the other.
    pub(super) repeats: u32,
    pub(super) rounds: u32,
}

#[derive(Default)]
struct Spent {
    per_second: Vec<f64>,
    cpu: Vec<f64>,
    double_cpu: Vec<f64>,
}

pub(super) async fn measure(
    stage: &Arc<Stage>,
    double: &mut Double,
    size: Size,
) -> Result<Value, Box<dyn Error>> {
    let calls = size.at_once * size.repeats;
    let mut spent: [Spent; 4] = Default::default();
    // The first round warms up and does not count.
    for round in 0..=size.rounds {
        for way in Way::turns(round) {
            let before = double.cpu()?;
            let (cost, called) = meanwhile(all(stage, way, &size)).await;
            called?;
            let theirs = Cost { cpu: double.cpu()?.saturating_sub(before), ..cost };
            if round > 0 {
                let spent = &mut spent[way as usize];
                spent.per_second.push(f64::from(calls) / cost.wall.as_secs_f64());
                spent.cpu.push(cost.each(calls).0);
                spent.double_cpu.push(theirs.each(calls).0);
            }
        }
    }
    let [bare, ..] = &spent;
    let mut figures = json!({ "calls": size.at_once });
    for (way, spent) in Way::ALL.into_iter().zip(&spent) {
        let ratios = spent.per_second.iter().zip(&bare.per_second).map(|(ours, bare)| ours / bare);
        figures[way.as_str()] = json!({
            "per_second": rounded(median(spent.per_second.clone())),
            "ratio": rounded(median(ratios.collect())),
            "cpu_us": rounded(median(spent.cpu.clone())),
            "double_cpu_us": rounded(median(spent.double_cpu.clone())),
        });
    }
    Ok(figures)
}

async fn all(stage: &Arc<Stage>, way: Way, size: &Size) -> Result<(), Box<dyn Error>> {
    let mut callers = JoinSet::new();
    for _ in 0..size.at_once {
        let (stage, repeats) = (stage.clone(), size.repeats);
        callers.spawn(async move {
            for _ in 0..repeats {
                stage.call(way).await?;
            }
            Ok::<_, String>(())
        });
    }
    while let Some(called) = callers.join_next().await {
        called??;
    }
    Ok(())
}
