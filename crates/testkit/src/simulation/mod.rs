//! A seeded simulation of the whole engine, in a world where everything goes wrong.
//!
//! The engine, its workers, drives and desk are the real ones. The store, the agents, the clocks and
//! the people are fakes, and one seed decides all they do, on one thread and in virtual time: a seed
//! that fails, fails again in the same way.
//!
//! ```ignore
//! simulation::run(42)?;                                    // a world, its troubles and its end
//! simulation::run_with(42, Sabotage::SkippedFence);        // the same with a bug planted
//! ```
//!
//! Each world has workers that die, are taken for dead or have wrong clocks, a store that is slow,
//! full or silent, agents that stumble, hang and lose replies, and people who answer late, twice and
//! wrongly. After a while the troubles end, and then everything must come to a good end.
//! [`model`] says what may happen on the way. Nothing here uses threads, the real time or the order
//! of a hash map.

mod agents;
mod book;
mod life;
mod model;
mod people;
mod process;
mod program;
mod random;
mod sabotage;
mod scene;
mod store;
mod story;
mod trace;
mod vigil;
mod wire;
mod world;
mod writes;

use std::{collections::BTreeMap, fmt, time::Duration};

use tokio::runtime::Builder;

pub use self::sabotage::Sabotage;
use self::world::World;

/// A simulation that held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub seed: u64,
    pub runs: usize,
    pub events: u64,
    /// What was done to the world outside.
    pub effects: usize,
    /// Looks at a clock or a store.
    pub steps: u64,
    /// The time that passed in the world.
    pub lasted: Duration,
    /// What happened how often.
    pub tally: BTreeMap<String, u64>,
    /// How many lines its trace has, and what they come to: the same for the same seed.
    pub trace: (u64, u64),
}

/// A simulation that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub seed: u64,
    pub sabotage: Option<Sabotage>,
    /// What broke.
    pub broken: String,
    /// What happened last.
    pub trace: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.trace {
            writeln!(f, "{line}")?;
        }
        write!(f, "seed {}: {}", self.seed, self.broken)
    }
}

impl std::error::Error for Failure {}

/// Lines that are kept for the report of a failure.
const LINES: usize = 120;

/// Simulates the world of a seed.
pub fn run(seed: u64) -> Result<Report, Box<Failure>> {
    simulate(seed, None, LINES).1
}

/// The same with a bug planted.
pub fn run_with(seed: u64, sabotage: Sabotage) -> Result<Report, Box<Failure>> {
    simulate(seed, Some(sabotage), LINES).1
}

/// All that happens in the world of a seed, with or without a bug.
#[must_use]
pub fn trace(seed: u64, sabotage: Option<Sabotage>) -> Vec<String> {
    simulate(seed, sabotage, usize::MAX).0
}

fn simulate(
    seed: u64,
    sabotage: Option<Sabotage>,
    lines: usize,
) -> (Vec<String>, Result<Report, Box<Failure>>) {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime without threads and sockets needs nothing");
    runtime.block_on(async {
        let world = World::new(seed, sabotage, lines);
        let end = tokio::select! {
            biased;
            broken = world.broken() => Err(broken),
            report = story::tell(seed, &world) => Ok(report),
        };
        let trace = world.trace.newest();
        let end = end
            .map_err(|broken| Box::new(Failure { seed, sabotage, broken, trace: trace.clone() }));
        (trace, end)
    })
}
