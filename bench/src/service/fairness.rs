//! What one user feels of another's flood: Ben's latencies, idle and while Anna asks without a pause over many
//! connections.
//!
//! Both sides and the server share this machine's processors. What that alone costs is measured beside it: Ben asks a
//! server of his own, where nobody else is, while Anna floods hers (`elsewhere`).

use std::{error::Error, sync::Arc};

use serde_json::{Map, Value, json};

use super::{
    Args,
    client::{Flood, Request},
    process::Prepared,
};
use crate::clock::{median, rounded, share};

/// A submission waits for the disk: fewer of them are enough, and take long enough.
const FEWER: u32 = 4;

pub(super) fn measure(args: &Args, prepared: &Prepared) -> Result<Value, Box<dyn Error>> {
    let service = prepared.serve(&[])?;
    let (of_anna, of_ben) =
        (service.completed_job(&prepared.anna)?, service.completed_job(&prepared.ben)?);
    let floods = [
        ("get", service.show(&prepared.anna, &of_anna), 200),
        ("submit", service.submission(&prepared.anna), 201),
    ];
    let asked = [
        ("get", service.show(&prepared.ben, &of_ben), 200, args.looks),
        ("submit", service.submission(&prepared.ben), 201, args.looks / FEWER),
    ];
    let folder = prepared.home.with_file_name("elsewhere");
    std::fs::create_dir(&folder)?;
    let other = prepared.beside(&folder)?;
    let elsewhere = other.serve(&[])?;
    let there = elsewhere.completed_job(&other.ben)?;
    let there = [elsewhere.show(&other.ben, &there), elsewhere.submission(&other.ben)];
    let (mut client, mut client_there) = (service.client()?, elsewhere.client()?);
    let mut figures = Map::new();
    for ((asked, request, status, times), there) in asked.into_iter().zip(there) {
        client.timed(&request, status, times / 10 + 1)?;
        client_there.timed(&there, status, times / 10 + 1)?;
        let mut idle = Vec::new();
        let mut under: [Vec<f64>; 2] = Default::default();
        let mut aside: [Vec<f64>; 2] = Default::default();
        let mut rates: [Vec<f64>; 2] = Default::default();
        for _ in 0..args.rounds {
            idle.push(share(client.timed(&request, status, times)?, 0.99));
            for (at, (_, flood, expected)) in floods.iter().enumerate() {
                let (p99, rate) = flooded(args, &service.address, flood, *expected, || {
                    client.timed(&request, status, times)
                })?;
                under[at].push(p99);
                rates[at].push(rate);
                wait_for_quiet(&mut client, &request, status)?;
                let (p99, _) = flooded(args, &service.address, flood, *expected, || {
                    client_there.timed(&there, status, times)
                })?;
                aside[at].push(p99);
                wait_for_quiet(&mut client, &request, status)?;
            }
        }
        let idle = median(idle);
        figures.insert(format!("{asked}_idle_p99_ms"), json!(rounded(idle)));
        let under = under.into_iter().zip(aside).zip(rates);
        for ((flood, ..), ((p99, aside), rate)) in floods.iter().zip(under) {
            let (name, p99) = (format!("{asked}_under_{flood}"), median(p99));
            let aside = median(aside);
            figures.insert(format!("{name}_elsewhere_p99_ms"), json!(rounded(aside)));
            figures.insert(format!("{name}_times_elsewhere"), json!(rounded(p99 / aside)));
            figures.insert(format!("{name}_p99_ms"), json!(rounded(p99)));
            figures.insert(format!("{name}_ratio"), json!(rounded(p99 / idle)));
            figures.insert(format!("{name}_flood_per_second"), json!(rounded(median(rate))));
        }
    }
    Ok(Value::Object(figures))
}

/// Measures while the flood is there. Gives the p99 and the rate of the flood.
fn flooded(
    args: &Args,
    address: &str,
    flood: &Request,
    status: u16,
    measured: impl FnOnce() -> Result<Vec<f64>, Box<dyn Error>>,
) -> Result<(f64, f64), Box<dyn Error>> {
    let flood = flood.clone();
    let flood = Flood::begin(address, args.clients, status, Arc::new(move |_| flood.clone()));
    let p99 = share(measured()?, 0.99);
    let (rate, _refused) = flood.end()?;
    Ok((p99, rate))
}

/// Waits until what a flood left, such as jobs that are still to be done, is done: until asking is quick again.
fn wait_for_quiet(
    client: &mut super::client::Client,
    request: &Request,
    status: u16,
) -> Result<(), Box<dyn Error>> {
    for _ in 0..100 {
        let times = client.timed(request, status, 20)?;
        std::thread::sleep(std::time::Duration::from_millis(100));
        if share(times, 0.9) < 2.0 {
            break;
        }
    }
    Ok(())
}
