//! A clock that is set back or forth by a year, between commands and while a worker works.

use std::time::Duration;

use serde_json::{Value, json};

use super::Kept;
use crate::support::{
    Effects, Home, Look, args_to_start,
    clock::{at, set, stop},
    eventually, id,
};

const LONG: Duration = Duration::from_secs(30);

fn created(home: &Home, run: &str) -> String {
    home.show(run)["created_at"].as_str().expect("an instant").to_owned()
}

/// The instants of a journal, as they are written.
fn instants(home: &Home, run: &str) -> Vec<String> {
    let instant = |line: &str| {
        let event: Value = serde_json::from_str(line).expect("an event");
        event["at"].as_str().expect("an instant").to_owned()
    };
    home.journal(run).lines().map(instant).collect()
}

#[test]
fn runs_go_on_across_a_clock_that_is_set_by_a_year() {
    let kept = Kept::new();
    let home = &kept.home;
    let year = |run: &str| created(home, run)[..4].parse::<i32>().expect("a year");
    let now = year(&kept.waiting);
    // Set back: dated a little late, and never before what is recorded.
    let args = ["runs", "start", "sample/steps", "--json"];
    let back = id(&home.start(at(home, "-1y", &args)).wait().succeeds().json());
    assert!(created(home, &back) >= created(home, &kept.waiting), "time ran backwards");
    // Set forth: the fake is real.
    let forth = id(&home.start(at(home, "+1y", &args)).wait().succeeds().json());
    assert_eq!(year(&forth), now + 1, "the clock could not be faked, so nothing was tested");
    // And back to where it was.
    let answer = ["runs", "answer", &kept.waiting, "--value", "true", "--json"];
    home.start(at(home, "+0", &answer)).wait().succeeds();
    for run in kept.runs() {
        assert!(instants(home, &run).is_sorted(), "{run}: time ran backwards");
    }
    kept.is_there();
    kept.finishes();
}

#[test]
fn a_worker_works_on_while_its_clock_is_set() {
    let home = Home::new();
    home.run(["runs", "list"]).succeeds();
    let effects = Effects::of(&home);
    let worker = home.start(at(&home, "+0", &["worker"]));
    let mut runs = Vec::new();
    for clock in ["+0", "-1y", "+1y", "-1y", "+0"] {
        set(&home, clock);
        let run = home.detach("sample/effects", &effects.input("unsafe", 4, 30), &[]);
        eventually(LONG, format!("a run finishes while the clock is at {clock}"), || {
            Look::books(&home.path()).runs[&run].is_closed()
        });
        runs.push(run);
    }
    stop(worker);
    for run in &runs {
        assert_eq!(home.status(run), "succeeded");
        assert!(instants(&home, run).is_sorted(), "{run}: time ran backwards");
        home.verify(run);
    }
    let once: Vec<_> = effects.lines()["unsafe"].values().copied().collect();
    assert_eq!(once, [1; 20], "a jump of the clock made an effect happen again, or not at all");
}

#[test]
fn a_deadline_is_kept_when_the_clock_is_set_back_and_falls_due_when_it_is_set_forth() {
    let home = Home::new();
    let ask = |seconds: u32| {
        let input = json!({"asks": 1, "deadline_seconds": seconds, "default": false});
        home.detach("sample/approval", &input, &[])
    };
    let soon = ask(2);
    let worker = home.start(at(&home, "+0", &["worker"]));
    let waits = |run: &str| Look::books(&home.path()).runs[run].status == "waiting";
    eventually(LONG, "the first is asked", || waits(&soon));
    set(&home, "-1y");
    // A year less on the clock is not a year more to wait.
    eventually(LONG, "the deadline takes the first", || home.status(&soon) == "succeeded");
    let late = ask(3_600);
    eventually(LONG, "the second is asked", || waits(&late));
    set(&home, "+1y");
    eventually(LONG, "the deadline takes the second", || home.status(&late) == "succeeded");
    stop(worker);
    for run in [&soon, &late] {
        assert_eq!(home.show(run)["output"]["denied"], 1);
        home.verify(run);
    }
    let args = args_to_start("sample/steps", &json!({"steps": 1}), &[]);
    home.run(args).succeeds();
}

/// A year on the clock is no work: the run may work for a minute, and does for two seconds.
#[test]
fn a_clock_that_is_set_forth_during_a_call_uses_up_no_time() {
    let home = Home::new();
    home.run(["runs", "list"]).succeeds();
    let worker = home.start(at(&home, "+0", &["worker"]));
    let input = json!({"steps": 2, "sleep_ms": 1000});
    let run = home.detach("sample/steps", &input, &["--minutes", "1"]);
    eventually(LONG, "the first call begins", || home.status(&run) == "running");
    set(&home, "+1y");
    eventually(LONG, "the run finishes", || home.status(&run) == "succeeded");
    stop(worker);
    let minutes = home.show(&run)["usage"]["minutes"].as_f64().expect("a number");
    assert!(minutes < 1.0, "{minutes} minutes of work");
    assert!(home.journal(&run).contains("time_skipped"), "the clock could not be faked");
    home.verify(&run);
}
