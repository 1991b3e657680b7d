//! A sync that fails: nobody can tell any more what is on the disk, so the process stops.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    boundaries::recover,
    support::{Call, Chance, Effects, Home, Look, Outcome, Trace, args_to_start, eventually, need},
};

const EFFECTS: u64 = 3;
/// The first makes the run and holds the first intent, the last has the end.
const COMMITS: usize = 4;

fn failing_sync(home: &Home, number: usize, args: &[String]) -> std::process::Command {
    need("strace");
    let log = home.file("strace");
    let log = log.to_str().expect("a plain path");
    // Once only, as the kernel does it: whoever tries again is told that all is well.
    let inject = format!("inject=fsync,fdatasync:error=EIO:when={number}");
    let trace = "trace=fsync,fdatasync";
    home.under(["strace", "-D", "-f", "-y", "-o", log, "-e", trace, "-e", &inject], args)
}

/// A sync that failed.
struct Failed {
    of: Of,
    /// How often the log was synced before.
    synced: usize,
    /// How often since the first large value.
    since: usize,
}

/// What was to be synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Log,
    /// A large value, before it has its name.
    Value,
    /// A folder that has the name of a large value, or of such a folder.
    Names,
    /// SQLite does not ask what came of the folder's. The database's comes when all is in the log.
    Other,
}

impl Of {
    fn call(call: &Call) -> Self {
        let path = call.file().unwrap_or_default();
        let (folder, name) = path.rsplit_once('/').unwrap_or_default();
        if name == "consign.db-wal" {
            Self::Log
        } else if name == "blobs" || folder.ends_with("/blobs") {
            Self::Names
        } else if folder.contains("/blobs/") {
            Self::Value
        } else {
            Self::Other
        }
    }
}

/// Runs it to its end. `strace` counts in each thread, so that more than one sync may fail.
fn run(home: &Home, number: usize, args: &[String]) -> (Outcome, Vec<Failed>) {
    let process = home.start(failing_sync(home, number, args));
    let pid = process.pid();
    let outcome = process.wait();
    let calls = Trace::read(&home.file("strace"), pid).calls;
    let is = |of: &[Of], call: &Call| of.contains(&Of::call(call));
    let large = calls.iter().position(|call| is(&[Of::Value, Of::Names], call));
    let synced = |from: usize, to: usize| {
        calls[..to].iter().skip(from).filter(|call| is(&[Of::Log], call)).count()
    };
    let injected = |call: &Call| call.result.as_deref().is_some_and(|it| it.contains("INJECTED"));
    let failed = calls.iter().enumerate().filter(|(_, call)| injected(call));
    let failed = failed.map(|(place, call)| Failed {
        of: Of::call(call),
        synced: synced(0, place),
        since: synced(large.unwrap_or(place), place),
    });
    (outcome, failed.collect())
}

#[test]
fn a_run_stops_at_the_first_sync_that_fails_and_has_lost_nothing() {
    let mut lost = 0;
    for number in 1.. {
        let home = Home::new();
        home.run(["runs", "list"]).succeeds();
        let effects = Effects::of(&home);
        let args = args_to_start("sample/effects", &effects.input("unsafe", EFFECTS, 0), &[]);
        let (outcome, failed) = run(&home, number, &args);
        let Some(&Failed { of, synced, .. }) = failed.first() else { break };
        if outcome.code == Some(0) {
            // After the last commit there is only the copy of the log into the database, which is
            // made again.
            assert!(of == Of::Other || synced >= COMMITS, "it went on after it could not know");
        } else {
            outcome.fails_with(&["STORE_LOST"]);
            let done = effects.lines()["unsafe"].len();
            assert!(done <= synced, "{done} effects, {synced} syncs before the failed one");
            lost += 1;
        }
        recover(
            &home,
            |effects| ("sample/effects", effects.input("unsafe", EFFECTS, 0)),
            &mut Chance::new(0),
        );
    }
    eprintln!("stopped at {lost} failed syncs");
    // Each commit, but for one whose place another sync may have taken.
    assert!(lost + 1 >= COMMITS, "{lost} failed syncs are too few to mean anything");
}

/// The answers are too large for a row, and go into files.
fn large_steps(_: &Effects) -> (&'static str, Value) {
    ("sample/steps", json!({"steps": LARGE_STEPS, "payload": 70_000}))
}

const LARGE_STEPS: usize = 3;
/// How often every sync is let fail in turn, at most.
const SWEEPS: usize = 6;

#[test]
fn a_run_stops_when_a_large_value_or_its_name_cannot_be_synced() {
    let mut lost = BTreeMap::<Of, usize>::new();
    let mut sweep = 0;
    let mut number = 0;
    // Which thread syncs what differs from run to run, and with it what a number stands for.
    let seen =
        |lost: &BTreeMap<Of, usize>| [Of::Value, Of::Names].iter().all(|of| lost.contains_key(of));
    while sweep == 0 || sweep < SWEEPS && !seen(&lost) {
        number += 1;
        let home = Home::new();
        home.run(["runs", "list"]).succeeds();
        let (workflow, input) = large_steps(&Effects::of(&home));
        let (outcome, failed) = run(&home, number, &args_to_start(workflow, &input, &[]));
        if failed.is_empty() {
            (sweep, number) = (sweep + 1, 0);
            continue;
        }
        // Each answer has a commit. After the last there is only the copy into the database.
        let fatal = |failed: &&Failed| failed.of != Of::Other && failed.since < LARGE_STEPS;
        let Some(Failed { of, since, .. }) = failed.iter().find(fatal) else {
            outcome.succeeds();
            continue;
        };
        outcome.fails_with(&["STORE_LOST"]);
        *lost.entry(*of).or_default() += 1;
        if *of != Of::Log {
            // What was told before is there, and no row has the name of what may not be.
            let left = Look::at(&home.path());
            let answers = left.events.values().flatten().filter(|it| it.kind == "call_completed");
            assert_eq!(answers.count(), *since, "{of:?} {number}");
        }
        recover(&home, large_steps, &mut Chance::new(0));
    }
    eprintln!("stopped at failed syncs: {lost:?}");
    assert!(seen(&lost), "too few to mean anything: {lost:?}");
}

#[test]
fn a_worker_stops_when_a_sync_fails_and_another_goes_on() {
    let home = Home::new();
    let effects = Effects::of(&home);
    for _ in 0..3 {
        home.detach("sample/effects", &effects.input("keyed", 3, 10), &[]);
    }
    let (worker, failed) = run(&home, 3, &["worker".to_owned()]);
    worker.fails_with(&["STORE_LOST"]);
    assert!(failed.iter().any(|failed| failed.of == Of::Log), "another sync failed");
    let _worker = home.worker();
    eventually(std::time::Duration::from_secs(30), "another finishes its runs", || {
        Look::books(&home.path()).open_runs().count() == 0
    });
    let lines = effects.lines();
    assert_eq!(lines["keyed"].values().copied().collect::<Vec<_>>(), [1; 9]);
    home.run(["runs", "verify", "--all"]).succeeds();
}
