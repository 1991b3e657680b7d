//! `consign worker`

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    home::{Home, until},
    support::text,
};

fn events(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| text(line, "event")).collect()
}

#[test]
fn a_worker_takes_detached_runs_and_says_what_it_does() {
    let home = Home::new();
    let run = home.detach("sample/steps", "{}");
    let worker = home.worker();
    until("it ends", || (home.status(&run) == "succeeded").then_some(()));
    until("it is told", || worker.stdout().contains("closed").then_some(()));
    worker.signal(Signal::TERM);
    let done = worker.wait().exits(0);
    let lines = done.json_lines();
    assert_eq!(events(&lines), ["started", "claimed", "left", "stopped"]);
    assert_eq!(text(&lines[0], "home"), home.path().to_str().expect("a plain name"));
    assert_eq!((text(&lines[1], "run"), text(&lines[2], "run")), (run.as_str(), run.as_str()));
    let left = json!({"event": "left", "run": run, "left": "closed", "status": "succeeded"});
    assert_eq!(lines[2], left);
    assert_eq!((&lines[3]["claimed"], &lines[3]["closed"]), (&json!(1), &json!(1)));
}

#[test]
fn people_are_told_of_single_runs_only_when_they_ask() {
    let home = Home::new();
    for (args, single) in [(&["worker"][..], false), (&["worker", "-v"], true)] {
        let run = home.detach("sample/steps", "{}");
        let worker = home.spawn(args);
        until("it ends", || (home.status(&run) == "succeeded").then_some(()));
        worker.signal(Signal::INT);
        let done = worker.wait().exits(0);
        assert_eq!(done.stdout, "");
        let done = done.telling("Ctrl-C stops it").telling("1 claim, 1 run closed");
        assert_eq!(done.stderr.contains(&run), single, "{done:#?}");
    }
}

#[test]
fn a_worker_that_stops_puts_its_runs_back() {
    let home = Home::new();
    let run = home.detach("sample/steps", r#"{"steps": 2, "sleep_ms": 120000}"#);
    let worker = home.spawn(&["worker", "--json", "--grace", "0"]);
    until("it runs", || (home.status(&run) == "running").then_some(()));
    worker.signal(Signal::TERM);
    let stopped = worker.wait().exits(0);
    let lines = stopped.json_lines();
    assert_eq!(events(&lines), ["started", "claimed", "left", "stopped"]);
    assert_eq!(text(&lines[2], "left"), "queued");
    let shown = home.show(&run);
    assert_eq!((text(&shown, "status"), &shown["worker"]), ("queued", &json!(null)));
}

#[test]
fn another_worker_takes_over_from_one_that_dies() {
    let home = Home::new();
    let run = home.detach("sample/steps", r#"{"steps": 3, "sleep_ms": 400}"#);
    let (first, second) = (home.worker(), home.worker());
    let claimed = |stdout: String| stdout.contains("claimed");
    let (dies, lives) =
        until("one has it", || match (claimed(first.stdout()), claimed(second.stdout())) {
            (true, _) => Some((&first, &second)),
            (_, true) => Some((&second, &first)),
            (false, false) => None,
        });
    dies.signal(Signal::KILL);
    until("the other ends it", || (home.status(&run) == "succeeded").then_some(()));
    assert!(claimed(lives.stdout()), "{}", lives.stdout());
    home.run(&["runs", "verify", &run]).exits(0);
}

#[test]
fn higher_priorities_come_first() {
    let home = Home::new();
    let submit = |priority: &str| {
        let args = ["runs", "start", "sample/steps", "--detach", "--priority", priority];
        text(&home.json(&args, 0), "id").to_owned()
    };
    let (low, usual, high) = (submit("-1"), submit("0"), submit("7"));
    let worker = home.spawn(&["worker", "--json", "--at-once", "1"]);
    until("all are done", || (home.status(&low) == "succeeded").then_some(()));
    worker.signal(Signal::TERM);
    let lines = worker.wait().exits(0).json_lines();
    let claimed = lines.iter().filter(|line| text(line, "event") == "claimed");
    let order: Vec<_> = claimed.map(|line| text(line, "run")).collect();
    assert_eq!(order, [high.as_str(), &usual, &low]);
}

#[test]
fn a_reader_that_leaves_stops_the_worker() {
    let home = Home::new();
    let mut command = home.consign(&["worker", "--json"]).into_command();
    command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
    let mut worker = command.stderr(std::process::Stdio::null()).spawn().expect("it starts");
    drop(worker.stdout.take());
    home.detach("sample/steps", "{}");
    let status = until("it ends", || worker.try_wait().expect("it is ours"));
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_worker_needs_sensible_numbers() {
    let home = Home::new();
    for wrong in [["--at-once", "0"], ["--at-once", "many"], ["--grace", "-1"]] {
        home.run(&[&["worker"], &wrong[..]].concat()).fails(2, "USAGE");
    }
}
