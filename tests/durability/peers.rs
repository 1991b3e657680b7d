//! Workers and commands are peers on one data directory, however many there are.

use std::{collections::BTreeSet, thread, time::Duration};

use rustix::process::Signal;
use serde_json::json;

use crate::support::{Effects, Home, Look, args_to_start, eventually, id};

const LONG: Duration = Duration::from_secs(60);

#[test]
fn many_commands_and_a_worker_share_one_directory() {
    let home = Home::new();
    let _worker = home.worker();
    let effects = Effects::of(&home);
    // The first four commands also race for making the directory.
    let runs: BTreeSet<String> = thread::scope(|scope| {
        let people: Vec<_> = (0..4)
            .map(|person| {
                let (home, effects) = (&home, &effects);
                scope.spawn(move || many_commands(home, effects, person))
            })
            .collect();
        people.into_iter().flat_map(|person| person.join().expect("all went well")).collect()
    });
    assert_eq!(runs.len(), 4 * 5, "ids are unique");
    eventually(LONG, "the worker has done the rest", || {
        Look::books(&home.path()).open_runs().count() == 0
    });
    let look = Look::at(&home.path());
    assert_eq!(look.runs.keys().cloned().collect::<BTreeSet<_>>(), runs);
    for (id, run) in &look.runs {
        let expected = if run.owner == "changed-mind" { "cancelled" } else { "succeeded" };
        assert_eq!(run.status, expected, "{id}: {run:#?}");
    }
    let lines = effects.lines();
    let once = lines["unsafe"].values().chain(lines["keyed"].values());
    assert_eq!(once.copied().collect::<Vec<_>>(), [1; 4 * 3 + 4 * 3]);
    home.run(["runs", "verify", "--all"]).succeeds();
}

/// One person's day: work for the worker, work of their own, a question, a change of mind.
fn many_commands(home: &Home, effects: &Effects, person: usize) -> Vec<String> {
    let steps = home.detach("sample/steps", &json!({"steps": 10, "sleep_ms": 2}), &[]);
    let keyed = home.detach("sample/effects", &effects.input("keyed", 3, 4), &[]);
    let own = args_to_start("sample/effects", &effects.input("unsafe", 3, 4), &[]);
    let own = id(&home.run(own).succeeds().json());
    let asks = home.detach("sample/approval", &json!({"asks": 1}), &[]);
    let slow = json!({"steps": 1, "sleep_ms": 300_000});
    let slow = home.detach("sample/steps", &slow, &["--owner", "changed-mind"]);
    eventually(LONG, format!("{person} is asked"), || {
        home.inbox().iter().any(|entry| entry["run"] == asks.as_str())
    });
    home.run(["runs", "answer", &asks, "--value", "true"]).succeeds();
    home.run(["runs", "cancel", &slow]).succeeds();
    let listed = home.run(["runs", "list", "--json", "--all"]).succeeds().json_lines();
    let listed: BTreeSet<_> = listed.iter().map(id).collect();
    let ours = vec![steps, keyed, own, asks, slow];
    assert!(ours.iter().all(|run| listed.contains(run)), "{listed:?} lacks one of {ours:?}");
    ours
}

#[test]
fn a_foreground_run_that_is_interrupted_waits_for_its_user_and_not_for_a_worker() {
    let home = Home::new();
    let effects = Effects::of(&home);
    let args = args_to_start("sample/effects", &effects.input("unsafe", 5, 60), &[]);
    let run = home.start(home.command(&args));
    eventually(LONG, "two effects happened", || effects.lines()["unsafe"].len() == 2);
    run.signal(Signal::INT);
    run.wait().exits_with(&[130]);
    let look = Look::at(&home.path());
    let (id, left) = look.runs.iter().next().expect("the run is there");
    assert_eq!((left.status.as_str(), left.worker.as_deref()), ("queued", None));
    // What was under way was waited for.
    assert!(look.keys(id, "attempt_lost").is_empty(), "{:#?}", look.events[id]);

    let _worker = home.worker();
    let other = home.detach("sample/steps", &json!({"steps": 3}), &[]);
    eventually(LONG, "the worker works", || home.status(&other) == "succeeded");
    let now = Look::at(&home.path());
    assert_eq!(now.events[id], look.events[id], "the worker took a run that is not for it");

    home.run(["runs", "resume", id, "--json"]).succeeds();
    assert_eq!(effects.lines()["unsafe"].values().copied().collect::<Vec<_>>(), [1; 5]);
    home.verify(id);
}

#[test]
fn a_worker_that_is_asked_to_stop_puts_its_runs_back() {
    let home = Home::new();
    let effects = Effects::of(&home);
    let runs: Vec<_> = (0..4)
        .map(|_| home.detach("sample/effects", &effects.input("unsafe", 20, 20), &[]))
        .collect();
    let worker = home.worker();
    eventually(LONG, "all are at work", || effects.lines()["unsafe"].len() >= 12);
    worker.signal(Signal::TERM);
    worker.wait();
    let look = Look::at(&home.path());
    for run in &runs {
        assert_eq!(look.runs[run].status, "queued", "{run}");
        assert!(look.keys(run, "attempt_lost").is_empty(), "{run}: {:#?}", look.events[run]);
    }
    let _worker = home.worker();
    eventually(LONG, "another finishes them", || {
        Look::books(&home.path()).open_runs().count() == 0
    });
    let once: Vec<_> = effects.lines()["unsafe"].values().copied().collect();
    assert_eq!(once, [1; 80]);
}
