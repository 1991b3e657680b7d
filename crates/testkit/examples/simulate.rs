//! Runs many simulations by hand, on all cores:
//!
//! ```text
//! cargo run -p consign-testkit --release --example simulate -- --seeds 0..100000
//! cargo run -p consign-testkit --release --example simulate -- --seeds 7..8 --sabotage EarlyAck
//! cargo run -p consign-testkit --release --example simulate -- --trace 7
//! ```
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::{
    collections::BTreeMap,
    env,
    num::NonZero,
    ops::Range,
    process::ExitCode,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use consign_testkit::simulation::{self, Failure, Report, Sabotage};

/// Failures that are worth reading at a time.
const MOST_FAILURES: usize = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some((seeds, sabotage, trace)) = wanted(&arguments) else {
        println!("usage: simulate [--seeds A..B | --trace SEED] [--sabotage NAME]");
        return ExitCode::from(2);
    };
    if trace {
        simulation::trace(seeds.start, sabotage).iter().for_each(|line| println!("{line}"));
        return ExitCode::SUCCESS;
    }
    let next = AtomicU64::new(seeds.start);
    let totals = Mutex::new(Totals::default());
    let began = Instant::now();
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(seed) = take(&next, seeds.end) {
                    let result = match sabotage {
                        Some(sabotage) => simulation::run_with(seed, sabotage),
                        None => simulation::run(seed),
                    };
                    let mut totals = totals.lock().expect("no simulation panics");
                    totals.add(result, began);
                    if totals.failures.len() >= MOST_FAILURES {
                        return;
                    }
                }
            });
        }
    });
    let totals = totals.into_inner().expect("no simulation panics");
    for failure in &totals.failures {
        println!("{failure}\n");
    }
    for (what, count) in &totals.tally {
        println!("{count:>10}  {what}");
    }
    println!("{}, {} failed", totals.line(began), totals.failures.len());
    if totals.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn wanted(arguments: &[String]) -> Option<(Range<u64>, Option<Sabotage>, bool)> {
    let (mut seeds, mut sabotage, mut trace) = (0..1000, None, false);
    for pair in arguments.chunks(2) {
        match pair {
            [name, value] if name == "--seeds" => {
                let (from, to) = value.split_once("..")?;
                seeds = from.parse().ok()?..to.parse().ok()?;
            }
            [name, value] if name == "--trace" => {
                let seed = value.parse().ok()?;
                (seeds, trace) = (seed..seed + 1, true);
            }
            [name, value] if name == "--sabotage" => {
                let found = Sabotage::ALL.into_iter().find(|bug| format!("{bug:?}") == *value);
                sabotage = Some(found?);
            }
            _ => return None,
        }
    }
    Some((seeds, sabotage, trace))
}

fn take(next: &AtomicU64, end: u64) -> Option<u64> {
    let seed = next.fetch_add(1, Ordering::Relaxed);
    (seed < end).then_some(seed)
}

#[derive(Default)]
struct Totals {
    seeds: u64,
    runs: u64,
    events: u64,
    effects: u64,
    lasted: Duration,
    longest: Option<(u64, Duration)>,
    said: Duration,
    tally: BTreeMap<String, u64>,
    failures: Vec<Failure>,
}

impl Totals {
    fn add(&mut self, result: Result<Report, Box<Failure>>, began: Instant) {
        self.seeds += 1;
        match result {
            Ok(report) => {
                self.runs += report.runs as u64;
                self.events += report.events;
                self.effects += report.effects as u64;
                self.lasted += report.lasted;
                for (what, count) in report.tally {
                    *self.tally.entry(what).or_default() += count;
                }
                let longest = self.longest.is_none_or(|(_, longest)| longest < report.lasted);
                if longest {
                    self.longest = Some((report.seed, report.lasted));
                }
            }
            Err(failure) => self.failures.push(*failure),
        }
        if began.elapsed() - self.said >= Duration::from_secs(10) {
            self.said = began.elapsed();
            println!("{}", self.line(began));
        }
    }

    fn line(&self, began: Instant) -> String {
        let seconds = began.elapsed().as_secs_f64();
        format!(
            "{} seeds in {seconds:.1} s ({:.0} a second): {} runs, {} events, {} effects, {:.1} virtual hours, longest {:?}",
            self.seeds,
            self.seeds as f64 / seconds,
            self.runs,
            self.events,
            self.effects,
            self.lasted.as_secs_f64() / 3600.0,
            self.longest,
        )
    }
}
