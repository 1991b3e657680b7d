//! Repeats a scenario with a crash at every point where one is possible.
//!
//! [`crash_everywhere`] first plays it through, to see how it ends and by which points it comes:
//! before and after each write, before and after each effect. Then it plays it once for each point,
//! and stops the process there. The dead process leaves its place, a new one takes over, and in the
//! end everything must be as it was the first time, with nothing done that may never be done.
//!
//! It knows nothing of how a store works: whatever can be opened as a [`StorePlace`] can be crashed on.

mod forks;
mod gate;
mod invariants;
mod scenario;
mod scenarios;

use std::{sync::Arc, thread};

use consign_engine::Engine;

pub use self::{
    gate::{Gate, Trips},
    scenario::{Scenario, Wish},
    scenarios::scenarios,
};
use crate::{
    conformance::StorePlace,
    world::{Observer, Setting, Wait, World, hooked::Hook},
};

/// How a play went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// How each run ended.
    pub ends: Vec<String>,
    /// By which points it came.
    pub points: Vec<String>,
    pub deaths: usize,
}

/// Plays a scenario with one crash at each point, in memory.
pub async fn crash_everywhere(scenario: &Scenario) {
    let first = play(scenario, Setting::new().place(), &[]).await;
    for point in 0..first.points.len() {
        let again = replay(scenario, Setting::new().place(), &[point], &first).await;
        assert_eq!(again.deaths, 1, "nobody died at point {point}. The points:\n{}", again.told());
    }
}

/// Plays a scenario with one crash at each point, each time on a new place. Where a store takes its
/// own time, a play may come by fewer points than the first one did: then nobody dies in it.
pub async fn crash_everywhere_on(scenario: &Scenario, place: impl Fn() -> Arc<dyn StorePlace>) {
    let first = play(scenario, place(), &[]).await;
    for point in 0..first.points.len() {
        replay(scenario, place(), &[point], &first).await;
    }
}

/// Plays a scenario with two crashes: at each point, and again up to `most` points later.
pub async fn crash_twice(scenario: &Scenario, most: usize) {
    let first = play(scenario, Setting::new().place(), &[]).await;
    for point in 0..first.points.len() {
        for later in 1..=most {
            replay(scenario, Setting::new().place(), &[point, point + later], &first).await;
        }
    }
}

async fn replay(
    scenario: &Scenario,
    place: Arc<dyn StorePlace>,
    at: &[usize],
    first: &Played,
) -> Played {
    let mark = Mark { scenario: &scenario.name, at, points: &first.points };
    let again = play(scenario, place, at).await;
    assert_eq!(again.ends, first.ends, "it ended otherwise. The points:\n{}", again.told());
    drop(mark);
    again
}

/// Plays a scenario. Somebody dies at each of these points.
pub async fn play(scenario: &Scenario, place: Arc<dyn StorePlace>, at: &[usize]) -> Played {
    let world = scenario.setting(Setting::new().on(place)).await;
    let trips = Trips::at(at);
    let mut wait = Wait::begin();
    loop {
        let gate = Arc::new(Gate::new(trips.clone()));
        let (hook, observer): (Arc<dyn Hook>, Arc<dyn Observer>) = (gate.clone(), gate.clone());
        let engine = world.engine(&[hook], &[observer]).await;
        let process = tokio::select! {
            biased;
            () = gate.tripped() => continue,
            process = world.worker_on(engine.clone()) => process,
        };
        let day = a_persons_day(scenario, &world, &engine, &trips, &mut wait);
        let over = tokio::select! {
            biased;
            () = gate.tripped() => false,
            () = day => true,
        };
        process.kill().await;
        if over {
            break;
        }
    }
    let ends = invariants::check(&world).await;
    if let Some(end) = &scenario.end {
        assert_eq!(ends.first(), Some(end), "the first run of {}", scenario.name);
    }
    Played { ends, points: trips.points(), deaths: trips.deaths() }
}

async fn a_persons_day(
    scenario: &Scenario,
    world: &World,
    engine: &Arc<Engine>,
    trips: &Trips,
    wait: &mut Wait,
) {
    while !scenario.attend(world, engine).await {
        if wait.is_over() {
            let mut told = String::new();
            for row in world.rows().await {
                let history = world.history(&row.id).await;
                told += &format!("run {} is {}: {history}\n", row.id, row.status);
            }
            let points = trips.points().join("\n");
            panic!("{} does not come to an end:\n{told}\n{points}", scenario.name);
        }
        wait.for_a_change(world).await;
    }
}

impl Played {
    fn told(&self) -> String {
        let points = self.points.iter().enumerate();
        points.map(|(number, point)| format!("{number} {point}")).collect::<Vec<_>>().join("\n")
    }
}

/// Says where the crash was when something goes wrong.
struct Mark<'a> {
    scenario: &'a str,
    at: &'a [usize],
    points: &'a [String],
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let points = self.at.iter().map(|at| self.points.get(*at).map_or("?", |name| name));
            let points = points.collect::<Vec<_>>();
            #[expect(clippy::print_stderr, reason = "the panic itself cannot know")]
            {
                eprintln!("while {:?} crashed at {:?}: {points:?}", self.scenario, self.at);
            }
        }
    }
}
