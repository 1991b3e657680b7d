//! One call at a time.

use serde_json::{Map, Value, json};

use super::{stage::Stage, way::Way};
use crate::clock::{meanwhile, median, rounded, share};

/// What warms up and does not count: connections, tokenizer, caches.
const WARMING: u32 = 20;

pub(super) async fn measure(stage: &Stage, calls: u32) -> Result<Value, String> {
    let mut spent: [(Vec<f64>, Vec<f64>); 4] = Default::default();
    for round in 0..WARMING + calls {
        for way in Way::turns(round) {
            let (cost, called) = meanwhile(stage.call(way)).await;
            called?;
            if round >= WARMING {
                let (cpu, wall) = cost.each(1);
                spent[way as usize].0.push(wall);
                spent[way as usize].1.push(cpu);
            }
        }
    }
    let [bare, ..] = &spent;
    let figures = Way::ALL.into_iter().zip(&spent).map(|(way, (wall, cpu))| {
        let mut figures = json!({
            "us": rounded(median(wall.clone())),
            "p95_us": rounded(share(wall.clone(), 0.95)),
            "cpu_us": rounded(median(cpu.clone())),
        });
        if way != Way::Bare {
            figures["over_us"] = rounded(over(wall, &bare.0)).into();
            figures["cpu_over_us"] = rounded(over(cpu, &bare.1)).into();
        }
        (way.as_str().to_owned(), figures)
    });
    Ok(Value::Object(figures.collect::<Map<_, _>>()))
}

/// What one took longer than the other in the same round.
pub(super) fn over(ours: &[f64], theirs: &[f64]) -> f64 {
    median(ours.iter().zip(theirs).map(|(ours, theirs)| ours - theirs).collect())
}
