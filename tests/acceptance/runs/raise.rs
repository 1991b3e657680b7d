//! `consign runs raise`

use serde_json::json;

use crate::{
    home::{Home, until},
    support::text,
};

const CALLS: &str = r#"{"calls": 4, "cost_usd": 0.01}"#;

/// A run that stands still at its limit.
fn halted(home: &Home, limit: &[&str]) -> String {
    let args = [&["runs", "start", "sample/budget", "--input", CALLS], limit].concat();
    text(&home.json(&args, 43), "id").to_owned()
}

#[test]
fn a_reached_limit_is_named_with_the_command_that_raises_it() {
    let home = Home::new();
    let check = |limit: &[&str], raise: &str| {
        let run = halted(&home, limit);
        let shown = home.run(&["runs", "show", &run]).exits(0).stdout;
        let command = format!("  consign runs raise {run} {raise}\n");
        assert!(shown.contains(&command), "{command:?} is missing: {shown}");
        // It can be typed as it stands, and helps.
        let words: Vec<_> = command.trim().split(' ').skip(1).collect();
        let done = home.json(&words, 0);
        assert_eq!(text(&done, "status"), "succeeded", "{done}");
    };
    check(&["--cost", "0.02"], "--cost 0.04");
    check(&["--calls", "2"], "--calls 4");
}

#[test]
fn a_suggested_limit_is_enough_to_go_on() {
    let home = Home::new();
    let suggested = |run: &str, words: &str| {
        let shown = home.run(&["runs", "show", run]).exits(0).stdout;
        let mut lines = shown.lines().filter_map(|line| line.trim().strip_prefix(words));
        lines.next().unwrap_or_else(|| panic!("{words:?} is missing: {shown}")).to_owned()
    };
    // Twice a tiny budget does not pay for one call.
    home.run(&["budget", "set", "alice", "--cost", "0.001"]).exits(0);
    let run = halted(&home, &["--owner", "alice"]);
    assert_eq!(suggested(&run, "consign budget set alice --cost "), "0.01");

    let args = ["runs", "start", "sample/steps", "--minutes", "0.002"];
    let args = [&args[..], &["--input", r#"{"steps": 1, "sleep_ms": 400}"#]].concat();
    let run = text(&home.json(&args, 43), "id").to_owned();
    let used = home.show(&run)["usage"]["minutes"].as_f64().expect("a number");
    let minutes = suggested(&run, &format!("consign runs raise {run} --minutes "));
    let minutes: f64 = minutes.parse().expect("a number");
    assert!(minutes >= used.max(0.002) + 0.002, "{minutes} for {used}");
}

#[test]
fn a_raise_is_the_whole_limit_and_never_lower() {
    let home = Home::new();
    let run = halted(&home, &["--cost", "0.02"]);
    let raise = |rest: &[&str]| home.run(&[&["runs", "raise", &run], rest].concat());
    raise(&[]).fails(2, "USAGE").telling("--calls N");
    raise(&["--cost", "0.01"]).fails(1, "INVALID_LIMIT").telling("not what is added");
    raise(&["--cost", "0.02"]).fails(1, "INVALID_LIMIT");
    raise(&["--cost", "0.03", "--calls", "200000", "--minutes", "2000"])
        .exits(0)
        .telling("to $0.03, 200000 calls, 1d9h of work")
        .telling("waits");
    let shown = home.show(&run);
    assert_eq!(shown["usage"]["spent_usd"], json!(0.03));
    assert_eq!(shown["limits"], json!({"cost_usd": 0.03, "minutes": 2000.0, "calls": 200_000}));
    raise(&["--cost", "0.04", "--no-resume"]).exits(0).telling("consign runs resume");
    assert_eq!(home.status(&run), "queued");
    home.run(&["runs", "resume", &run]).exits(0);
    raise(&["--cost", "1"]).fails(1, "INVALID_STATE");
}

#[test]
fn a_limit_can_be_answered_too() {
    let home = Home::new();
    let run = halted(&home, &["--cost", "0.02"]);
    let done = home.json(&["runs", "answer", &run, "--value", r#"{"cost_usd": 0.04}"#], 0);
    assert_eq!((text(&done, "status"), &done["usage"]["cap_usd"]), ("succeeded", &json!(0.04)));
}

#[test]
fn a_detached_run_goes_on_with_its_worker() {
    let home = Home::new();
    let args = ["runs", "start", "sample/budget", "--input", CALLS, "--cost", "0.02", "--detach"];
    let run = text(&home.json(&args, 0), "id").to_owned();
    let _worker = home.worker();
    until("it waits", || (home.status(&run) == "waiting").then_some(()));
    home.run(&["runs", "raise", &run, "--cost", "1"]).exits(0);
    until("it ends", || (home.status(&run) == "succeeded").then_some(()));
}

#[test]
fn a_budget_that_is_used_up_is_raised_for_its_owner() {
    let home = Home::new();
    home.run(&["budget", "set", "alice", "--cost", "0.02"]).exits(0);
    let run = halted(&home, &["--owner", "alice"]);
    let shown = home.run(&["runs", "show", &run]).exits(0).stdout;
    assert!(shown.contains("\n  consign budget set alice --cost 0.04\n"), "{shown}");
    let inbox = home.terminal().consign(&["inbox", "--color", "never"]).exits(0).stdout;
    assert!(inbox.contains("with: consign budget set OWNER --cost USD\n"), "{inbox}");
    for told in [&shown, &inbox] {
        assert!(!told.contains("runs raise") && !told.contains("runs answer"), "{told}");
    }
    home.run(&["budget", "set", "alice", "--cost", "0.04"]).exits(0).telling("consign runs resume");
    home.run(&["runs", "resume", &run]).exits(0);
}
