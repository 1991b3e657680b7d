//! Killed at any moment, under load: nothing that was confirmed is lost, nothing recorded is run
//! again, nothing unsafe happens twice, no money is spent beyond its cap, and everything finishes.

use std::{
    collections::BTreeMap,
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    load::Load,
    support::{Chance, Home, Look, alive, args_to_start, eventually},
};

/// Of workers; commands that are killed come on top.
const KILLS: usize = 200;
/// The longest that a run may be left with a worker that is dead while another one lives. Workers
/// look every tenth of a second, and may have to wait for a processor.
const RECLAIMED_WITHIN: Duration = Duration::from_secs(3);

#[test]
fn two_hundred_kills_lose_nothing_and_repeat_nothing() {
    let seed = Chance::seed();
    eprintln!("CONSIGN_SEED={seed} has the same kills again");
    let mut chance = Chance::new(seed);
    let home = Home::new();
    let load = Load::new(&home);
    for owner in ["red", "blue"] {
        home.run(["budget", "set", owner, "--cost", "0.2"]).succeeds();
    }
    let (starts, answers) = (Chance::new(chance.next()), Chance::new(chance.next()));
    let begun = Instant::now();
    let (kills, slowest) = thread::scope(|scope| {
        let _stop = StopOnDrop(&load);
        scope.spawn(|| load.start_runs(starts));
        scope.spawn(|| load.attend(answers));
        kill_workers(&load, &mut chance)
    });
    let killing = begun.elapsed();
    finish(&load);
    eprintln!("{killing:?} of kills, and {:?} to finish", begun.elapsed() - killing);

    let look = load.check();
    let lost = count(&look, "attempt_lost");
    let asked = look.events.keys().flat_map(|run| look.keys(run, "asked"));
    let unknown = asked.filter(|key| key.starts_with("@outcome:")).count();
    eprintln!(
        "{kills} workers and {} commands killed; {} runs, {} events remembered; {lost} attempts \
         lost, {unknown} outcomes asked for; slowest takeover {slowest:?}",
        load.killed.load(Ordering::Relaxed),
        look.runs.len(),
        load.witness().memory(),
    );
    // Otherwise the kills hit nothing, and all this shows nothing.
    assert!(kills >= KILLS && lost >= 50 && unknown >= 3, "the kills came at the wrong moments");
    everything_was_done(&load, &look);
}

struct StopOnDrop<'a, 'b>(&'a Load<'b>);

impl Drop for StopOnDrop<'_, '_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn kill_workers(load: &Load<'_>, chance: &mut Chance) -> (usize, Duration) {
    let home = load.home;
    let mut workers = [Some(home.worker()), Some(home.worker())];
    let mut graves = Graves::default();
    let mut kills = 0;
    for turn in 0.. {
        thread::sleep(chance.millis(50..300));
        let both = chance.once_in(10);
        for (place, worker) in workers.iter_mut().enumerate() {
            if both || place == turn % 2 {
                let outcome = worker.take().expect("it was started").kill();
                assert_eq!(outcome.signal, Some(9), "it ended by itself: {outcome:#?}");
                kills += 1;
            }
        }
        if both {
            nobody_is_shown_running_who_is_dead(home);
        }
        for worker in &mut workers {
            worker.get_or_insert_with(|| home.worker());
        }
        graves.look(&load.check(), home);
        if kills >= KILLS {
            break;
        }
    }
    (kills, graves.slowest)
}

/// Commands are enough, where no worker is left. Among the many, one may find that another is just
/// about to free a run, so that the next one is to look again.
fn nobody_is_shown_running_who_is_dead(home: &Home) {
    let dead = held_by_the_dead(&Look::books(&home.path()), home);
    eventually(RECLAIMED_WITHIN, "commands free the runs of the dead", || {
        home.run(["runs", "list", "--json"]).succeeds();
        let look = Look::books(&home.path());
        let mut holders = look.runs.values().filter_map(|run| run.worker.as_ref());
        !holders.any(|holder| dead.contains(holder))
    });
}

fn held_by_the_dead(look: &Look, home: &Home) -> Vec<String> {
    let alive = alive(&home.path());
    let holders = look.runs.values().filter_map(|run| run.worker.clone());
    holders.filter(|worker| !alive.contains(worker)).collect()
}

/// Since when the dead have held runs.
#[derive(Default)]
struct Graves {
    since: BTreeMap<String, Instant>,
    slowest: Duration,
}

impl Graves {
    fn look(&mut self, look: &Look, home: &Home) {
        let dead = held_by_the_dead(look, home);
        for (worker, since) in &self.since {
            if !dead.contains(worker) {
                self.slowest = self.slowest.max(since.elapsed());
            }
        }
        self.since.retain(|worker, _| dead.contains(worker));
        for worker in dead {
            let since = self.since.entry(worker).or_insert_with(Instant::now);
            assert!(
                since.elapsed() < RECLAIMED_WITHIN,
                "the runs of a dead worker were left lying"
            );
        }
    }
}

/// Lets everything come to its end, with nobody killed any more.
fn finish(load: &Load<'_>) {
    let home = load.home;
    let _workers = [home.worker(), home.worker()];
    load.calm_down();
    thread::scope(|scope| {
        let _stop = StopOnDrop(load);
        scope.spawn(|| load.attend(Chance::new(0)));
        let begun = Instant::now();
        loop {
            let look = load.check();
            let open: Vec<_> = look.open_runs().collect();
            if open.is_empty() {
                break;
            }
            let late = begun.elapsed() > Duration::from_secs(60);
            assert!(!late, "these do not finish: {open:#?} {:#?}", home.inbox());
            thread::sleep(Duration::from_millis(100));
        }
    });
}

fn count(look: &Look, kind: &str) -> usize {
    look.events.values().flatten().filter(|event| event.kind == kind).count()
}

fn everything_was_done(load: &Load<'_>, look: &Look) {
    let lines = load.effects.lines();
    for (id, run) in &look.runs {
        assert_eq!(run.status, "succeeded", "{id}: {run:#?}");
        if run.workflow == "sample/effects" {
            for step in 1..=4 {
                let line = format!("{id}:step-{step}");
                let times: usize = lines.values().filter_map(|lines| lines.get(&line)).sum();
                assert!(times >= 1, "{line} never happened");
            }
        }
    }
    let proven = load.home.run(["runs", "verify", "--all", "--json"]).succeeds();
    assert_eq!(proven.json_lines().len(), look.runs.len(), "{proven:#?}");
}

#[test]
fn the_runs_of_a_killed_worker_are_taken_over_at_once_by_the_other() {
    let home = Home::new();
    let mut workers = vec![home.worker(), home.worker()];
    for _ in 0..8 {
        home.detach("sample/steps", &json!({"steps": 1, "sleep_ms": 300_000}), &[]);
    }
    let running = |look: &Look| look.runs.values().filter(|run| run.worker.is_some()).count();
    let mut slowest = Duration::ZERO;
    for _ in 0..6 {
        eventually(Duration::from_secs(20), "all runs are held by the living", || {
            let look = Look::books(&home.path());
            running(&look) == 8 && held_by_the_dead(&look, &home).is_empty()
        });
        workers.remove(0).kill();
        let taken = eventually(Duration::from_secs(2), "the other has taken over", || {
            let look = Look::books(&home.path());
            running(&look) == 8 && held_by_the_dead(&look, &home).is_empty()
        });
        slowest = slowest.max(taken);
        workers.push(home.worker());
    }
    eprintln!("slowest takeover: {slowest:?}");
}

#[test]
fn after_any_command_no_run_is_shown_as_running_that_nobody_runs() {
    let home = Home::new();
    let slow = json!({"steps": 1, "sleep_ms": 300_000});
    let detached = home.detach("sample/steps", &slow, &[]);
    let commands: [&[&str]; 4] =
        [&["runs", "list"], &["inbox"], &["runs", "show", &detached], &["budget"]];
    for command in commands {
        let dying =
            [home.worker(), home.start(home.command(args_to_start("sample/steps", &slow, &[])))];
        eventually(Duration::from_secs(20), "both runs are at work", || {
            let look = Look::at(&home.path());
            let held = look.runs.values().filter(|run| run.worker.is_some()).count();
            held == 2 && held_by_the_dead(&look, &home).is_empty()
        });
        for process in dying {
            process.kill();
        }
        assert_eq!(held_by_the_dead(&Look::books(&home.path()), &home).len(), 2);
        home.run(command).succeeds();
        let look = Look::books(&home.path());
        let open: Vec<_> = look.open_runs().map(|(_, run)| run.status.as_str()).collect();
        assert_eq!(open, ["queued", "queued"], "after {command:?}");
        // The next round has a foreground run of its own.
        let own = look.open_runs().map(|(run, _)| run).find(|run| **run != detached);
        home.run(["runs", "cancel", own.expect("it is queued")]).succeeds();
    }
}
