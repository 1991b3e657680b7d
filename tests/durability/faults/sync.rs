//! A sync that fails: nobody can tell any more what is on the disk, so the process stops.

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

/// The sync that failed.
struct Failed {
    of_log: bool,
    /// How often the log was synced before.
    synced: usize,
}

/// Runs it to its end.
fn run(home: &Home, number: usize, args: &[String]) -> (Outcome, Option<Failed>) {
    let process = home.start(failing_sync(home, number, args));
    let pid = process.pid();
    let outcome = process.wait();
    let trace = Trace::read(&home.file("strace"), pid);
    let of_log = |call: &Call| call.file().is_some_and(|file| file.ends_with("/consign.db-wal"));
    let injected = |call: &Call| call.result.as_deref().is_some_and(|it| it.contains("INJECTED"));
    let failed = trace.calls.iter().position(injected).map(|place| Failed {
        of_log: of_log(&trace.calls[place]),
        synced: trace.calls[..place].iter().filter(|call| of_log(call)).count(),
    });
    (outcome, failed)
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
        let Some(Failed { of_log, synced }) = failed else { break };
        if outcome.code == Some(0) {
            // SQLite does not ask what came of the folder's. After the last commit there is only the
            // copy of the log into the database, which is made again.
            assert!(!of_log || synced >= COMMITS, "it went on after it could not know any more");
        } else {
            outcome.fails(&["STORE_LOST"]);
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

#[test]
fn a_worker_stops_when_a_sync_fails_and_another_goes_on() {
    let home = Home::new();
    let effects = Effects::of(&home);
    for _ in 0..3 {
        home.detach("sample/effects", &effects.input("keyed", 3, 10), &[]);
    }
    let (worker, failed) = run(&home, 3, &["worker".to_owned()]);
    worker.fails(&["STORE_LOST"]);
    assert!(failed.is_some_and(|failed| failed.of_log), "another sync failed");
    let _worker = home.worker();
    eventually(std::time::Duration::from_secs(30), "another finishes its runs", || {
        Look::books(&home.path()).open_runs().count() == 0
    });
    let lines = effects.lines();
    assert_eq!(lines["keyed"].values().copied().collect::<Vec<_>>(), [1; 9]);
    home.run(["runs", "verify", "--all"]).succeeds();
}
