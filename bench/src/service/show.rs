//! A completed Trace job, again and again: one client, then many at once.

use std::{error::Error, sync::Arc, time::Instant};

use serde_json::{Value, json};

use super::{Args, client::many, process::Prepared};
use crate::clock::{median, rounded};

pub(super) fn measure(args: &Args, prepared: &Prepared) -> Result<Value, Box<dyn Error>> {
    let service = prepared.serve(&[])?;
    let job = service.completed_job(&prepared.anna)?;
    let request = service.show(&prepared.anna, &job);
    let mut client = service.client()?;
    let bytes = client.send(&request, 200)?.to_string().len();
    client.timed(&request, 200, 500)?;
    let (mut alone, mut wall, mut together, mut rate) = (vec![], vec![], vec![], vec![]);
    for _ in 0..args.rounds {
        let before = service.cpu()?;
        let times = client.timed(&request, 200, args.gets)?;
        alone.push((service.cpu()? - before) * 1e3 / f64::from(args.gets));
        wall.push(median(times));
        let (before, begun) = (service.cpu()?, Instant::now());
        let each = request.clone();
        let next = Arc::new(move |_| each.clone());
        let count = many(&service.address, args.clients, 200, args.gets, next)?;
        if count.refused > 0 {
            return Err(format!("{} requests were refused", count.refused).into());
        }
        rate.push(f64::from(count.done) / begun.elapsed().as_secs_f64());
        together.push((service.cpu()? - before) * 1e3 / f64::from(count.done));
    }
    Ok(json!({
        "job_bytes": bytes,
        "cpu_ms": rounded(median(alone)),
        "wall_ms": rounded(median(wall)),
        "cpu_ms_at_once": rounded(median(together)),
        "per_second_at_once": rounded(median(rate)),
    }))
}
