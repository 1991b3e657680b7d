//! Killed at every write boundary: just before the first, the second, the N-th write, sync, rename,
//! link… of a run, until there is none left to be killed at. Then once more while it recovers.

use std::{process::Command, thread};

use serde_json::{Value, json};

use crate::support::{Chance, Effects, Home, Look, Steward, Witness, args_to_start, need};

/// Every way in which something reaches the disk or becomes visible to others. `strace` counts each
/// by itself, in each thread.
pub(crate) const BOUNDARIES: [&str; 10] = [
    "pwrite64",
    "fdatasync",
    "fsync",
    "write",
    "renameat",
    "linkat",
    "unlink",
    "ftruncate",
    "mkdir",
    "flock",
];

/// A workflow and its input.
pub(crate) type Work = fn(&Effects) -> (&'static str, Value);

fn unsafe_effects(effects: &Effects) -> (&'static str, Value) {
    ("sample/effects", effects.input("unsafe", 2, 0))
}

/// The answers are too large for a row, and go into files.
fn large_steps(_: &Effects) -> (&'static str, Value) {
    ("sample/steps", json!({"steps": 2, "payload": 70_000}))
}

#[test]
fn killed_at_every_write_an_unsafe_effect_still_happens_once() {
    at_every_boundary(unsafe_effects);
}

#[test]
fn killed_at_every_write_a_large_value_is_whole_or_not_there() {
    at_every_boundary(large_steps);
}

/// Kills a foreground run at each boundary, in a home that is made by it and in one that is there.
fn at_every_boundary(work: Work) {
    need("strace");
    let seed = Chance::seed();
    eprintln!("CONSIGN_SEED={seed} has the same second kills again");
    let (mut fresh, mut prepared) = (BOUNDARIES, BOUNDARIES);
    Chance::new(seed).shuffle(&mut fresh);
    Chance::new(seed).shuffle(&mut prepared);
    let kills: Vec<(&str, usize)> = thread::scope(|scope| {
        let each = |boundaries: [&'static str; 10], there: bool| {
            scope.spawn(move || boundaries.map(|call| (call, kill_each(call, there, work, seed))))
        };
        let both = [each(fresh, false), each(prepared, true)];
        both.into_iter().flat_map(|half| half.join().expect("no kill went wrong")).collect()
    });
    let all: usize = kills.iter().map(|(_, kills)| kills).sum();
    eprintln!("{all} kills: {kills:?}");
    let of = |calls: &[&str]| -> usize {
        kills.iter().filter(|(call, _)| calls.contains(call)).map(|(_, kills)| kills).sum()
    };
    // Each commit writes and syncs; which of the two syncs it is is for SQLite to say.
    assert!(of(&["pwrite64"]) >= 20 && of(&["fsync", "fdatasync"]) >= 6, "{kills:?}");
}

/// Kills a run before its first, second, … such call. Says how many there were.
fn kill_each(call: &str, there: bool, work: Work, seed: u64) -> usize {
    let mut chance = Chance::new(seed);
    for number in 1.. {
        let home = Home::new();
        if there {
            home.run(["runs", "list"]).succeeds();
        }
        let (workflow, input) = work(&Effects::of(&home));
        let args = args_to_start(workflow, &input, &[]);
        let outcome = home.start(killed_at(&home, call, number, &args)).wait();
        if outcome.signal.is_none() {
            outcome.succeeds();
            return number - 1;
        }
        eprintln!("{call} {number} there={there}");
        recover(&home, work, &mut chance);
        assert!(number < 200, "there is no end to {call}");
    }
    unreachable!("numbers have no end")
}

/// A command that is killed just before its n-th such call.
pub(crate) fn killed_at(home: &Home, call: &str, number: usize, args: &[String]) -> Command {
    let log = home.file("strace");
    let log = log.to_str().expect("a plain path");
    let (trace, kill) =
        (format!("trace={call}"), format!("inject={call}:signal=SIGKILL:when={number}"));
    home.under(["strace", "-D", "-f", "-qq", "-o", log, "-e", &trace, "-e", &kill], args)
}

/// Whatever the kill left: it can be read, nothing is lost, and it comes to its end.
pub(crate) fn recover(home: &Home, work: Work, chance: &mut Chance) {
    let effects = Effects::of(home);
    let mut witness = Witness::default();
    let mut check = || {
        let before = effects.lines();
        let look = Look::at(&home.path());
        let wrong = witness.sees(&before, &look, &effects.lines());
        assert!(wrong.is_empty(), "{wrong:#?}");
        look
    };
    check();
    home.run(["runs", "list", "--json"]).succeeds();
    let left = check();
    if left.runs.is_empty() {
        // It was not there yet: then it did nothing either.
        assert!(effects.lines().values().all(std::collections::BTreeMap::is_empty));
        let (workflow, input) = work(&effects);
        home.run(args_to_start(workflow, &input, &[])).succeeds();
    }
    for (id, _) in left.open_runs() {
        // Killed again while it recovers.
        let call = chance.pick(&BOUNDARIES);
        let number = usize::try_from(1 + chance.below(6)).expect("a small number");
        let resume = ["runs", "resume", id, "--json"].map(str::to_owned);
        home.start(killed_at(home, call, number, &resume)).wait();
        check();
        finish(home, id);
    }
    let look = check();
    for (id, run) in &look.runs {
        assert_eq!(run.status, "succeeded", "{id}: {run:#?}");
        home.verify(id);
    }
    let lines = effects.lines();
    assert!(lines["unsafe"].values().all(|times| *times == 1), "{lines:?}");
}

/// Goes on with a run until it is over, answering what it asks.
fn finish(home: &Home, id: &str) {
    let steward = Steward::new(home, 0);
    for _ in 0..10 {
        if Look::books(&home.path()).runs[id].is_closed() {
            return;
        }
        let resumed = home.run(["runs", "resume", id, "--json"]).exits_with(&[0, 43]);
        if resumed.code == Some(43) {
            for (_, outcome) in steward.answer_all() {
                outcome.succeeds();
            }
        }
    }
    panic!("{id} does not come to its end: {}", home.journal(id));
}
