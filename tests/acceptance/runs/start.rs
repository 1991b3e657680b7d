//! `consign runs start`

use serde_json::json;

use crate::{
    home::{Home, keeps},
    support::{keys, text},
};

/// Three steps, each tried up to three times.
const CERTIFICATE: &str = ": up to 9 calls, at most $0";

#[test]
fn a_run_gives_its_output_and_tells_its_story_apart() {
    let home = Home::new();
    let run = home.run(&["runs", "start", "sample/steps"]).exits(0);
    assert_eq!(run.stdout, "{\"steps\":3}\n");
    let told: Vec<_> = run.stderr.lines().collect();
    assert_eq!(told.len(), 2, "{run:#?}");
    assert!(told[0].ends_with(CERTIFICATE), "{run:#?}");
    assert!(told[1].ends_with(" succeeded, $0 spent"), "{run:#?}");
}

#[test]
fn for_programs_a_run_is_one_object_with_everything_that_came_of_it() {
    let home = Home::new();
    let args = ["runs", "start", "sample/budget", "--json", "--owner", "alice", "--priority", "-3"];
    let done = home.run(&args).exits(0);
    assert_eq!(done.stderr, "");
    keeps("engine/run", &done.stdout);
    let run = done.json();
    for (key, value) in [
        ("workflow", json!("sample/budget")),
        ("version", json!(1)),
        ("status", json!("succeeded")),
        ("owner", json!("alice")),
        ("placement", json!("foreground")),
        ("priority", json!(-3)),
        ("seq", json!(7)),
        ("worker", json!(null)),
        ("wake_at", json!(null)),
        ("limits", json!({"cost_usd": 10, "minutes": 1440.0, "calls": 100_000})),
        ("certificate", json!({"cost_usd": 0.03, "calls": 3, "bounded_by": "structure"})),
        ("output", json!({"calls": 3, "spent_usd": 0.03})),
        ("input", json!({})),
        ("fault", json!(null)),
        ("cancelled", json!(null)),
        ("waits", json!([])),
    ] {
        assert_eq!(run[key], value, "{key} of {run}");
    }
    let usage = &run["usage"];
    assert_eq!(
        keys(usage),
        ["calls", "cap_usd", "minutes", "reserved_usd", "spent_usd", "unmetered_calls"]
    );
    assert_eq!((&usage["spent_usd"], &usage["calls"]), (&json!(0.03), &json!(3)));
    // Money is written to the last nano, not as a float would have it.
    assert!(done.stdout.contains("\"spent_usd\":0.03,"), "{}", done.stdout);
}

#[test]
fn the_input_is_a_file_standard_input_json_or_nothing() {
    let home = Home::new();
    let file = home.file("input.json", "{\"steps\": 2}\n");
    let output = |args: &[&str], stdin: &str| {
        let args = [&["runs", "start", "sample/steps"], args].concat();
        home.consign(&args).stdin(stdin).run().exits(0).stdout
    };
    assert_eq!(output(&["--input", &file], ""), "{\"steps\":2}\n");
    assert_eq!(output(&["--input", "-"], "{\"steps\": 1}"), "{\"steps\":1}\n");
    assert_eq!(output(&["--input", "  {\"steps\": 0}"], ""), "{\"steps\":0}\n");
    assert_eq!(output(&[], ""), "{\"steps\":3}\n");
}

#[test]
fn an_input_that_is_no_document_is_refused_where_it_breaks() {
    let home = Home::new();
    let start = |input: &str| home.run(&["runs", "start", "sample/steps", "--input", input]);
    start("{steps: 1}").fails(2, "INPUT_MALFORMED").telling("column 2").telling("single quotes");
    start(r#"{"steps": 1, "steps": 2}"#).fails(2, "INPUT_MALFORMED").telling("duplicate key");
    start(" ").fails(2, "INPUT_MALFORMED").telling("the input is empty");
    start("missing.json").fails(1, "FILE_UNREADABLE").telling("check the path");
    let file = home.file("broken.json", b"{\"a\": \"\xff\"}");
    start(&file).fails(1, "INPUT_MALFORMED").telling("invalid UTF-8");
    // Nothing was made of any of them.
    assert_eq!(home.run(&["runs", "list"]).exits(0).stdout, "");
}

#[test]
fn an_input_that_the_workflow_refuses_is_refused_by_field() {
    let home = Home::new();
    let input = r#"{"steps": -1, "stesp": 2}"#;
    home.run(&["runs", "start", "sample/steps", "--input", input])
        .fails(1, "INVALID_INPUT")
        .telling("/steps")
        .telling("`stesp`");
    assert_eq!(home.run(&["runs", "list"]).exits(0).stdout, "");
}

#[test]
fn an_unknown_workflow_is_recognised_and_all_are_named() {
    let home = Home::new();
    for misspelt in ["sample/stesp", "steps"] {
        let run = home.run(&["runs", "start", misspelt]).fails(2, "WORKFLOW_NOT_FOUND");
        run.telling("did you mean `sample/steps`?").telling("sample/approval, sample/budget");
    }
}

#[test]
fn a_run_that_could_not_pay_is_refused_before_it_is_made() {
    let home = Home::new();
    let start = |more: &[&str]| home.run(&[&["runs", "start", "sample/budget"], more].concat());
    start(&["--cost", "0.001"]).fails(1, "BUDGET_TOO_SMALL").telling("--cost USD");
    start(&["--cost", "0.02", "--certified"]).fails(1, "NOT_CERTIFIED").telling("--certified");
    start(&["--cost", "0.03", "--certified"]).exits(0);
    for wrong in [["--cost", "-1"], ["--cost", "much"], ["--minutes", "0"], ["--calls", "1.5"]] {
        start(&wrong).fails(2, "USAGE");
    }
    assert_eq!(home.run(&["runs", "list"]).exits(0).stdout.lines().count(), 1);
}

#[test]
fn a_run_that_fails_says_so_with_the_code_of_its_fault() {
    let home = Home::new();
    let input = r#"{"class": "pure", "file": "/proc/no/such/place"}"#;
    let args = ["runs", "start", "sample/effects", "--input", input];
    let failed = home.run(&args).exits(1).telling("error[APPEND_FAILED]: ");
    assert_eq!(failed.stdout, "");
    let failed = home.run(&[&args[..], &["--json"]].concat()).exits(1);
    assert_eq!(text(&failed.error(), "code"), "APPEND_FAILED");
    let run = failed.json();
    assert_eq!((text(&run, "status"), &run["output"]), ("failed", &json!(null)));
    assert_eq!(text(&run["fault"], "code"), "APPEND_FAILED");
    keeps("engine/fault", &run["fault"].to_string());
}

#[test]
fn a_run_that_must_wait_says_for_what_and_how_to_go_on() {
    let home = Home::new();
    let args = ["runs", "start", "sample/approval", "--input", r#"{"asks": 2}"#];
    let waits = home.run(&args).exits(43);
    let lines: Vec<_> = waits.stdout.lines().collect();
    assert_eq!(lines[0], "waiting for approval ask-1: Approve 1 of 2?");
    // The command can be typed as it stands.
    let words: Vec<_> = lines[1].trim().split(' ').collect();
    assert_eq!(words[..3], ["consign", "runs", "approve"], "{waits:#?}");
    home.run(&words[1..]).exits(0).telling("approved ask-1");

    let run = home.json(&args, 43);
    assert_eq!(text(&run, "status"), "waiting");
    let asks = run["waits"].as_array().expect("waits are a list");
    assert_eq!(asks.len(), 2);
    asks.iter().for_each(|ask| keeps("engine/interaction", &ask.to_string()));
}

#[test]
fn a_detached_run_is_left_to_the_workers() {
    let home = Home::new();
    let run = home.run(&["runs", "start", "sample/steps", "--detach"]).exits(0);
    let id = run.stdout.trim_end();
    assert_eq!(id.len(), 16, "{run:#?}");
    let run = run.telling("queued: up to 9 calls, at most $0").telling("consign worker");
    let shown = home.show(run.stdout.trim_end());
    assert_eq!((text(&shown, "status"), text(&shown, "placement")), ("queued", "anywhere"));
    let args = ["runs", "start", "sample/steps", "--detach", "--json"];
    let other = home.run(&args).exits(0);
    keeps("engine/run", &other.stdout);
    assert_eq!(other.json()["certificate"]["calls"], json!(9));
}

#[test]
fn a_start_that_is_repeated_under_its_name_gives_the_same_run() {
    let home = Home::new();
    let args = ["runs", "start", "sample/budget", "--id", "Nightly_1.a"];
    let first = home.json(&args, 0);
    assert_eq!(text(&first, "id"), "Nightly_1.a");
    let again = home.run(&args).exits(0).telling("there already");
    assert_eq!(again.stdout, "{\"calls\":3,\"spent_usd\":0.03}\n");
    assert_eq!(home.json(&args, 0)["head"], first["head"], "nothing was done again");
    assert_eq!(home.json(&["budget"], 0)["spent_usd"], json!(0.03));
    // It is found by its name, and by the beginning of it.
    assert_eq!(home.show("Nightly_1.a")["head"], first["head"]);
    assert_eq!(home.show("Nightly")["head"], first["head"]);

    let another = [&args[..], &["--input", r#"{"calls": 1}"#]].concat();
    home.run(&another).fails(1, "RUN_EXISTS").telling("--id");
    for unfit in ["", "-x", "a/b", "two words"] {
        let unfit = format!("--id={unfit}");
        home.run(&["runs", "start", "sample/steps", &unfit]).fails(1, "INVALID_RUN_ID");
    }

    let detached = ["runs", "start", "sample/steps", "--id", "later", "--detach"];
    for _ in 0..2 {
        assert_eq!(home.run(&detached).exits(0).stdout, "later\n");
    }
    // What was left waiting still waits, and says so.
    let waits = ["runs", "start", "sample/approval", "--id", "asks"];
    for _ in 0..2 {
        assert_eq!(home.json(&waits, 43)["waits"][0]["interaction"], json!("ask-1"));
    }
    assert_eq!(home.run(&["runs", "list"]).exits(0).stdout.lines().count(), 3);
    // Workers take what was left to them the first time.
    let left = [&waits[..], &["--detach"]].concat();
    home.run(&left).exits(0).telling("consign runs resume asks");
    home.run(&["runs", "start", "sample/steps", "--id", "later-2", "--detach"]).exits(0);
    assert_eq!(text(&home.show("later"), "id"), "later", "a whole name is no beginning");
}

#[test]
fn on_a_terminal_the_output_is_laid_out() {
    let home = Home::new();
    let args = ["runs", "start", "sample/steps", "--color", "never"];
    let shown = home.terminal().consign(&args).exits(0).stdout;
    assert!(shown.ends_with("{\n  \"steps\": 3\n}\n"), "{shown}");
    assert!(shown.contains(": up to 9 calls, at most $0\n"), "{shown}");
}

#[test]
fn on_a_terminal_progress_is_drawn_and_taken_away_again() {
    let home = Home::new();
    let input = r#"{"steps": 1, "sleep_ms": 700}"#;
    let args = ["runs", "start", "sample/steps", "--input", input];
    let drawn = home.terminal().consign(&args).exits(0).stdout;
    assert!(drawn.contains("step-1: sample/echo for "), "{drawn:?}");
    let wiped = "\u{1b}[2A\u{1b}[2K\n\u{1b}[2K\n\r\u{1b}[2A";
    assert!(drawn.contains(wiped), "the last drawing is wiped: {drawn:?}");
    // Where lines cannot be drawn again, none are.
    for plain in [["--color", "never"], ["--input", input]] {
        let args = [&["runs", "start", "sample/steps"], &plain[..]].concat();
        let told = home.terminal().set("NO_COLOR", "1").consign(&args).exits(0).stdout;
        assert!(!told.contains('\u{1b}') && !told.contains("done"), "{told:?}");
    }
}
