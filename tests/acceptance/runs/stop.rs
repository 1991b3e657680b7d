//! Ctrl-C, SIGTERM and death, and how a run goes on after them

use rustix::process::Signal;
use serde_json::json;

use crate::{
    harness::Process,
    home::{Home, until},
    support::{Outcome, text},
};

/// A command that drives a run whose second step is under way.
fn driving(home: &Home, sleep_ms: u32) -> (Process, String) {
    let input = format!(r#"{{"steps": 4, "sleep_ms": {sleep_ms}}}"#);
    let command = home.spawn(&["runs", "start", "sample/steps", "--input", &input]);
    let run = until("a step is done", || {
        let runs = home.run(&["runs", "list", "--json"]).exits(0).json_lines();
        let run = runs.first().filter(|run| run["seq"].as_u64() >= Some(3))?;
        Some(text(run, "id").to_owned())
    });
    (command, run)
}

fn resumed(home: &Home, run: &str) {
    let done = home.json(&["runs", "resume", run], 0);
    assert_eq!((text(&done, "status"), &done["output"]), ("succeeded", &json!({"steps": 4})));
    home.run(&["runs", "verify", run]).exits(0);
}

/// How often each call was begun.
fn attempts(home: &Home, run: &str) -> Vec<u64> {
    let journal = home.run(&["runs", "show", run, "--events", "--json"]).exits(0).json_lines();
    let done = journal.iter().filter(|event| text(event, "kind") == "call_completed");
    done.filter_map(|event| event["body"]["attempt"].as_u64()).collect()
}

#[test]
fn ctrl_c_finishes_what_is_under_way_and_keeps_the_run_for_later() {
    let home = Home::new();
    let (command, run) = driving(&home, 800);
    command.signal(Signal::INT);
    let stopped = command.wait().exits(130);
    assert_eq!(stopped.stdout, "");
    stopped
        .telling("stopping after what is under way; press Ctrl-C again to leave at once")
        .telling(&format!("consign runs resume {run}"));
    assert_eq!(home.status(&run), "queued");
    resumed(&home, &run);
    assert_eq!(attempts(&home, &run), [1, 1, 1, 1], "nothing was begun twice");
}

#[test]
fn a_second_signal_leaves_at_once() {
    let home = Home::new();
    let (command, run) = driving(&home, 1000);
    command.signal(Signal::TERM);
    until("it says so", || command.stderr().contains("stopping").then_some(()));
    command.signal(Signal::TERM);
    let stopped = command.wait();
    // It may have been done before the second signal came.
    assert_eq!(stopped.code, Some(143), "{stopped:#?}");
    assert_eq!(home.status(&run), "queued");
    resumed(&home, &run);
}

#[test]
fn a_command_that_dies_leaves_a_run_that_can_be_resumed_at_once() {
    let home = Home::new();
    let (command, run) = driving(&home, 800);
    command.signal(Signal::KILL);
    let dead: Outcome = command.wait();
    assert_eq!(dead.code, None, "{dead:#?}");
    assert_eq!(home.status(&run), "queued", "nothing is shown as running that nobody runs");
    resumed(&home, &run);
}

#[test]
fn a_worker_leaves_runs_of_the_command_line_alone() {
    let home = Home::new();
    let (command, run) = driving(&home, 500);
    let worker = home.worker();
    command.signal(Signal::INT);
    command.wait().exits(130);
    // The worker has looked around: it has done what came after.
    let detached = home.detach("sample/steps", "{}");
    until("the worker has worked", || (home.status(&detached) == "succeeded").then_some(()));
    assert_eq!(home.status(&run), "queued");
    assert!(!worker.stdout().contains(&run));
    resumed(&home, &run);
}

#[test]
fn a_run_that_somebody_drives_cannot_be_taken() {
    let home = Home::new();
    let (command, run) = driving(&home, 1000);
    home.run(&["runs", "resume", &run]).fails(1, "RUN_HELD").telling("worker w");
    command.signal(Signal::INT);
    command.wait().exits(130);
}

#[test]
fn what_is_over_cannot_be_resumed() {
    let home = Home::new();
    let run = home.start("sample/steps", "{}", 0);
    home.run(&["runs", "resume", &run]).fails(1, "INVALID_STATE").telling("consign runs show");
    home.run(&["runs", "resume", "nobody"]).fails(1, "RUN_NOT_FOUND");
}

#[test]
fn what_waits_still_waits_when_it_is_resumed() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    let still = home.json(&["runs", "resume", &run], 43);
    assert_eq!(text(&still["waits"][0], "interaction"), "ask-1");
}

#[test]
fn an_unsafe_call_whose_outcome_nobody_knows_is_put_to_a_person() {
    let home = Home::new();
    let file = home.file("effects", "");
    let input = json!({"class": "unsafe", "file": file, "sleep_ms": 60_000}).to_string();
    let command = home.spawn(&["runs", "start", "sample/effects", "--input", &input]);
    let run = until("it runs", || {
        let runs = home.run(&["runs", "list", "--status", "running", "--json"]).json_lines();
        runs.first().map(|run| text(run, "id").to_owned())
    });
    command.signal(Signal::KILL);
    drop(command);
    let waits = until("it is free", || {
        let resumed = home.run(&["runs", "resume", &run, "--json"]);
        (resumed.code == Some(43)).then(|| resumed.json())
    });
    let ask = &waits["waits"][0];
    assert_eq!(
        (text(ask, "kind"), text(ask, "interaction")),
        ("intervention", "@outcome:step-1@1")
    );
    // A choice, and no command that could be pasted without a look.
    let shown = home.run(&["runs", "show", &run]).exits(0).stdout;
    let place = |words: &str| shown.find(words).unwrap_or_else(|| panic!("{words}: {shown}"));
    assert!(place(r#"'{"outcome":"not_done"}'"#) < place(r#"'{"outcome":"done","#), "{shown}");
    assert!(!shown.contains("--value '"), "{shown}");
    let inbox = home.terminal().wide(80).consign(&["inbox", "--color", "never"]).exits(0).stdout;
    assert!(inbox.contains(" @outcome:step-1@1 "), "it is in pieces: {inbox}");
    // What is to be typed is right but for the choice.
    let typed = format!("consign runs answer {run} @outcome:step-1@1 --value CHOICE");
    assert!(shown.contains(&typed), "{typed:?} is missing: {shown}");
    let value = r#"{"outcome": "done", "output": {"line": "1"}}"#;
    let done = home.json(&["runs", "answer", &run, "@outcome:step-1@1", "--value", value], 0);
    assert_eq!(text(&done, "status"), "succeeded", "{done}");
}
