//! What one user feels of another's flood: Ben's latencies while Anna asks without a pause over many connections,
//! beside those while nobody else asks.
//!
//! Turns are short and alternate: idle, flooded, and then Ben on a server of his own, where nobody else is, while Anna
//! floods hers (`elsewhere`). Both users and the server share this machine's processors, and what that alone costs is
//! what the last kind of turn shows. A ratio is that of the medians of the turns' p99s, so that an hour in which the
//! machine is slow, or a second in which something else runs, weighs as little as it can.
//!
//! Beside each p99 stands how long threads that could work waited for a processor, for each request of Ben's: his own
//! thread, and all threads of the server together. What a p99 has above it was spent in queues of ours, or on the disk.

use std::{error::Error, sync::Arc, time::Duration};

use serde_json::{Map, Value, json};

use super::{
    Args,
    client::{Client, Flood, Request},
    process::{Prepared, Service},
    waits::Waited,
};
use crate::clock::{median, rounded, share};

/// A submission waits for the disk: fewer of them take long enough.
const FEWER: u32 = 2;

pub(super) fn measure(args: &Args, prepared: &Prepared) -> Result<Value, Box<dyn Error>> {
    let service = prepared.serve(&[])?;
    let (of_anna, of_ben) =
        (service.completed_job(&prepared.anna)?, service.completed_job(&prepared.ben)?);
    let floods = [
        ("get", service.show(&prepared.anna, &of_anna), 200),
        ("submit", service.submission(&prepared.anna), 201),
    ];
    let folder = prepared.home.with_file_name("elsewhere");
    std::fs::create_dir(&folder)?;
    let other = prepared.beside(&folder)?;
    let elsewhere = other.serve(&[])?;
    let there = elsewhere.completed_job(&other.ben)?;
    let pause = Duration::from_millis(args.pause);
    let (here, aside) = (service.client()?, elsewhere.client()?);
    let mut figures = Map::new();
    let asked = [
        (
            "get",
            200,
            args.looks,
            service.show(&prepared.ben, &of_ben),
            elsewhere.show(&other.ben, &there),
        ),
        (
            "submit",
            201,
            args.looks / FEWER,
            service.submission(&prepared.ben),
            elsewhere.submission(&other.ben),
        ),
    ];
    let (mut here, mut aside) = (
        Ben { client: here, server: service.id(), pause },
        Ben { client: aside, server: elsewhere.id(), pause },
    );
    for (asked, status, times, request, request_there) in asked {
        here.turn(&request, status, times)?;
        aside.turn(&request_there, status, times)?;
        let mut idle = Turns::default();
        let mut under: [(Turns, Turns); 2] = Default::default();
        let mut rates: [Vec<f64>; 2] = Default::default();
        for _ in 0..args.turns {
            for (at, (_, flood, expected)) in floods.iter().enumerate() {
                // As long as a flood needs to be there.
                std::thread::sleep(Flood::READY);
                idle.add(here.turn(&request, status, times)?);
                let begin = || flooding(args, &service, flood, *expected);
                let running = begin();
                under[at].0.add(here.turn(&request, status, times)?);
                rates[at].push(running.end()?.0);
                quiet(&service, prepared)?;
                let running = begin();
                under[at].1.add(aside.turn(&request_there, status, times)?);
                running.end()?;
                quiet(&service, prepared)?;
                quiet(&elsewhere, &other)?;
            }
        }
        let idle_p99 = idle.tell(&mut figures, &format!("{asked}_idle"));
        for (at, (under, aside)) in under.into_iter().enumerate() {
            let name = format!("{asked}_under_{}", floods[at].0);
            let p99 = under.tell(&mut figures, &name);
            let aside = aside.tell(&mut figures, &format!("{name}_elsewhere"));
            let mut put = |what: &str, value: f64| {
                figures.insert(format!("{name}_{what}"), json!(rounded(value)))
            };
            put("ratio", p99 / idle_p99);
            put("times_elsewhere", p99 / aside);
            put("flood_per_second", median(std::mem::take(&mut rates[at])));
        }
    }
    Ok(Value::Object(figures))
}

/// The user whose latencies count.
struct Ben {
    client: Client,
    server: u32,
    pause: Duration,
}

/// What one turn came to.
struct Turn {
    p50: f64,
    p99: f64,
    /// For each request.
    waited: Waited,
}

impl Ben {
    fn turn(&mut self, request: &Request, status: u16, times: u32) -> Result<Turn, Box<dyn Error>> {
        // A processor that has just slept, and threads that have, are slow at first: that is of no turn.
        self.client.timed_with_pauses(request, status, times / 10 + 1, self.pause)?;
        let before = Waited::now(self.server)?;
        let each = self.client.timed_with_pauses(request, status, times, self.pause)?;
        let Waited { client, server } = Waited::now(self.server)?.since(before);
        let of_each = |all: f64| all / f64::from(times);
        let waited = Waited { client: of_each(client), server: of_each(server) };
        Ok(Turn { p50: share(each.clone(), 0.5), p99: share(each, 0.99), waited })
    }
}

/// All turns of one kind.
#[derive(Default)]
struct Turns {
    p50: Vec<f64>,
    p99: Vec<f64>,
    client: Vec<f64>,
    server: Vec<f64>,
}

impl Turns {
    fn add(&mut self, turn: Turn) {
        self.p50.push(turn.p50);
        self.p99.push(turn.p99);
        self.client.push(turn.waited.client);
        self.server.push(turn.waited.server);
    }

    /// Puts the medians beside the other figures, and gives that of the p99s.
    fn tell(self, figures: &mut Map<String, Value>, name: &str) -> f64 {
        let p99 = median(self.p99);
        let told = [
            ("p50_ms", median(self.p50)),
            ("p99_ms", p99),
            ("client_waited_ms", median(self.client)),
            ("server_waited_ms", median(self.server)),
        ];
        for (what, value) in told {
            figures.insert(format!("{name}_{what}"), json!(rounded(value)));
        }
        p99
    }
}

fn flooding(args: &Args, service: &Service, flood: &Request, status: u16) -> Flood {
    let flood = flood.clone();
    Flood::begin(&service.address, args.clients, status, Arc::new(move |_| flood.clone()))
}

/// Waits until what a turn left, such as jobs that are still to be done, is done.
fn quiet(service: &Service, prepared: &Prepared) -> Result<(), Box<dyn Error>> {
    service.wait_for_jobs(&prepared.anna)?;
    service.wait_for_jobs(&prepared.ben)
}
