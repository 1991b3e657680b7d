//! `consign trace`: a test plan from a specification, from the command line.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use super::workbench::{LOGIN, Workbench, at_once, run_of, slow_then, tree};
use crate::{
    pipelines::yard::keeps,
    support::{keys, text},
};

const FILES: [&str; 3] = ["coverage-matrix.md", "test-plan.md", "trace-tests.test.ts"];

#[test]
fn a_specification_is_read_from_a_file_or_from_standard_input() {
    let bench = Workbench::new();
    bench.file("login.feature", LOGIN);
    let from_file = bench.run(&["trace", "login.feature"]).exits(0);
    for args in [&["trace"][..], &["trace", "-"]] {
        let from_pipe = bench.consign(args).stdin(LOGIN).run().exits(0);
        assert_eq!(from_pipe.stdout, from_file.stdout);
    }
    for line in ["# Test Plan", "1. Given a registered user", "# Coverage Matrix"] {
        assert!(from_file.stdout.lines().any(|told| told == line), "{from_file:#?}");
    }
    let run = run_of(&from_file.stderr).expect("the run is told");
    bench.verified(&run);
    assert_eq!(text(&bench.0.home.show(&run), "workflow"), "authoring/trace");
}

#[test]
fn the_result_is_the_same_over_http() {
    let bench = Workbench::new();
    let ours = bench.consign(&["trace", "--json"]).stdin(LOGIN).run().exits(0);
    assert_eq!(ours.stderr, "");
    let ours = ours.json();
    keeps("authoring/trace.result", &ours);
    assert_eq!(ours, bench.over_http("trace", &json!({"spec": LOGIN})));
    assert_eq!(ours["coverageMatrix"]["User login"], json!(["login-happy-path"]));
}

#[test]
fn files_are_written_and_never_over_others() {
    let bench = Workbench::new();
    bench.file("login.feature", LOGIN);
    let trace = ["trace", "login.feature", "--out", "plan"];
    let written = bench.run(&trace).exits(0);
    assert_eq!(tree(&bench.path("plan")), FILES);
    assert!(written.stdout.lines().any(|line| line == "wrote plan/test-plan.md"), "{written:#?}");

    bench.file("plan/test-plan.md", "mine");
    fs::remove_file(bench.path("plan/coverage-matrix.md")).expect("it can be removed");
    let refused = bench.run(&trace).fails_with(&["FILE_EXISTS"]).telling("plan/test-plan.md");
    let run = run_of(&refused.stderr).expect("the run is told");
    assert_eq!(tree(&bench.path("plan")), FILES[1..], "nothing was written");
    assert_eq!(fs::read_to_string(bench.path("plan/test-plan.md")).unwrap_or_default(), "mine");

    // What was done is not done again for the files.
    let before = bench.0.events(&run).len();
    let forced = ["trace", "--run", &run, "--out", "plan", "--force"];
    let forced = bench.run(&forced).exits(0);
    assert!(forced.stdout.contains("replaced plan/test-plan.md"), "{forced:#?}");
    assert!(forced.stdout.contains("wrote plan/coverage-matrix.md"), "{forced:#?}");
    assert_eq!(bench.0.events(&run).len(), before);
    assert_eq!(tree(&bench.path("plan")), FILES);
}

#[test]
fn nothing_is_written_through_a_link() {
    let bench = Workbench::new();
    bench.file("login.feature", LOGIN);
    bench.file("outside/kept.md", "kept");
    fs::create_dir(bench.path("plan")).expect("it can be made");
    symlink(bench.path("outside/kept.md"), bench.path("plan/test-plan.md")).expect("a link");
    for more in [&[][..], &["--force"]] {
        let args = [&["trace", "login.feature", "--out", "plan"], more].concat();
        bench.run(&args).fails_with(&["TARGET_UNUSABLE"]).telling("is a link");
    }
    assert_eq!(fs::read_to_string(bench.path("outside/kept.md")).unwrap_or_default(), "kept");
    assert_eq!(tree(&bench.path("plan")), ["test-plan.md"]);
    // A file is no folder, and that is seen before anything is done.
    let refused = bench.run(&["trace", "login.feature", "--out", "login.feature"]);
    assert_eq!(run_of(&refused.fails(1, "TARGET_UNUSABLE").stderr), None);
}

#[test]
fn a_dry_run_writes_nothing_and_says_what_would_be_written() {
    let bench = Workbench::new();
    bench.file("login.feature", LOGIN);
    let args = ["trace", "login.feature", "--dry-run", "--out", "plan"];
    let told = bench.run(&args).exits(0);
    let told: Vec<_> = told.stdout.lines().map(str::to_owned).collect();
    let would = |name: &str| format!("would write plan/{name}");
    assert_eq!(told, ["test-plan.md", "trace-tests.test.ts", "coverage-matrix.md"].map(would));
    assert!(!bench.path("plan").exists());
    bench.file("plan/test-plan.md", "mine");
    bench.run(&args).fails_with(&["FILE_EXISTS"]);
    let told = bench.run(&[&args[..], &["--force"]].concat()).exits(0);
    assert!(told.stdout.contains("would replace plan/test-plan.md"), "{told:#?}");
    assert_eq!(fs::read_to_string(bench.path("plan/test-plan.md")).unwrap_or_default(), "mine");
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    let bench = Workbench::new();
    bench.consign(&["trace"]).stdin(" \n\t").run().fails(1, "VALIDATION_ERROR").telling("blank");
    let broken = "Feature: a\n  Scenario: b\n    Given c\n    something else\n";
    bench.file("broken.feature", broken);
    let refused = bench.run(&["trace", "broken.feature"]).fails(1, "VALIDATION_ERROR");
    assert!(refused.stderr.contains("broken.feature: line 4: "), "{refused:#?}");
    let refused = bench.run(&["trace", "broken.feature", "--json"]).exits(1);
    assert_eq!(refused.error()["details"]["line"], 4, "{refused:#?}");
    bench.run(&["trace", "none.feature"]).fails(1, "FILE_UNREADABLE").telling("standard input");
    bench.consign(&["trace"]).stdin(*b"\xff\xfe").run().fails(1, "INPUT_MALFORMED");
    let refused = bench.consign(&["trace", "--model", "openai/gpt-2"]).stdin(LOGIN).run();
    refused.fails(2, "MODEL_NOT_ALLOWED");
    assert_eq!(bench.run(&["runs", "list", "--json"]).exits(0).stdout, "", "no run was made");
}

#[test]
fn tests_are_written_for_what_the_project_tests_with() {
    let bench = Workbench::new();
    bench.file("login.feature", LOGIN);
    bench.file("shop/pyproject.toml", "[tool.pytest.ini_options]\n");
    let path = |args: &[&str]| {
        let out = bench.run(&[&["trace", "login.feature", "--json"], args].concat()).exits(0);
        text(&out.json()["files"][0], "path").to_owned()
    };
    assert_eq!(path(&["--repo", "shop"]), "tests/test_trace.py");
    assert_eq!(path(&["--repo", "shop", "--framework", "go-test"]), "tracetests/trace_test.go");
    assert_eq!(path(&["--repo", "."]), "trace-tests.test.ts");
    assert_eq!(tree(&bench.path("shop")), ["pyproject.toml"], "the project is only read");
    let refused = bench.run(&["trace", "login.feature", "--repo", "acme/shop"]);
    refused.fails(2, "USAGE").telling("--branch NAME or --pr");
    let refused = bench.run(&["trace", "login.feature", "--repo", "nowhere"]);
    refused.fails(2, "REPOSITORY_UNREADABLE");
}

#[test]
fn a_stream_answers_each_line_in_order() {
    let bench = Workbench::new();
    let good = |name: &str| json!({"spec": format!("{name} -> a -> b")}).to_string();
    let broken = json!({"spec": "Feature: a\nScenario: b\nGiven c\nsomething else"}).to_string();
    let lines = [&*good("one"), "{", "", "[]", &*broken, r#"{"spec": ""}"#, &*good("two")];
    let out = bench.consign(&["trace", "--stream"]).stdin(lines.join("\n")).run().exits(1);
    let told = out.json_lines();
    assert_eq!(told.len(), 6, "{out:#?}");
    for (at, name) in [(0, "one"), (5, "two")] {
        keeps("authoring/trace.result", &told[at]);
        assert!(told[at]["coverageMatrix"].get(name).is_some(), "{}", told[at]);
    }
    for refused in &told[1..5] {
        assert_eq!(keys(refused), ["error"]);
        assert_eq!(keys(&refused["error"]), ["code", "details", "message"], "{refused}");
        assert_eq!(text(&refused["error"], "code"), "VALIDATION_ERROR");
    }
    assert_eq!(told[3]["error"]["details"]["line"], 4);

    let many: Vec<_> = (0..40).map(|at| good(&format!("n{at}"))).collect();
    let args = ["trace", "--stream", "--at-once", "8"];
    let out = bench.consign(&args).stdin(many.join("\n")).run().exits(0);
    for (at, result) in out.json_lines().iter().enumerate() {
        assert!(result["coverageMatrix"].get(format!("n{at}")).is_some(), "{at}: {result}");
    }
    assert_eq!((out.json_lines().len(), &*out.stderr), (40, ""));
    bench.run(&["runs", "verify", "--all"]).exits(0);
}

fn suggestion() -> Value {
    json!({"cases": [{"name": "Locked account", "steps": ["Given a locked user"]}]})
}

#[test]
fn a_job_whose_command_was_killed_goes_on_and_comes_to_the_same() {
    let bench = Workbench::new();
    bench.file("login.feature", LOGIN);
    bench.file("slow.json", slow_then("trace.suggest", &suggestion()));
    bench.file("fast.json", at_once("trace.suggest", &suggestion()));
    let whole = ["trace", "login.feature", "--agent-script", "fast.json", "--json"];
    let whole = bench.run(&whole).exits(0).json();
    assert_eq!(whole["metadata"]["suggested"], 1);
    let args = ["trace", "login.feature", "--agent-script", "slow.json"];

    let run = bench.killed(&args);
    let resumed = bench.run(&["runs", "resume", &run, "--json"]).exits(0).json();
    assert_eq!(text(&resumed, "status"), "succeeded");
    assert_eq!(bench.run(&["trace", "--run", &run, "--json"]).exits(0).json(), whole);
    bench.verified(&run);

    let run = bench.killed(&args);
    bench.run(&["trace", "--run", &run, "--out", "plan"]).exits(0);
    assert_eq!(tree(&bench.path("plan")), FILES);
    assert_eq!(bench.run(&["trace", "--run", &run, "--json"]).exits(0).json(), whole);
    bench.verified(&run);
}

#[test]
fn an_agent_outside_may_suggest_cases() {
    let bench = Workbench::new();
    let waits = bench.consign(&["trace", "--model", "bridge", "--json"]).stdin(LOGIN).run();
    let run = text(&waits.exits(42).json(), "id").to_owned();
    bench.run(&["trace", "--run", &run]).exits(42);
    let value = suggestion().to_string();
    bench.run(&["runs", "answer", &run, "think", "--value", &value]).exits(0);
    let result = bench.run(&["trace", "--run", &run, "--json"]).exits(0).json();
    assert!(result["coverageMatrix"].get("Suggested: Locked account").is_some(), "{result}");
    bench.run(&["proto", "--run", &run]).fails(2, "USAGE");
    bench.verified(&run);
}

#[test]
fn a_model_that_fails_is_done_without_and_that_is_told() {
    let bench = Workbench::new();
    let script =
        json!([{"agent": "*", "times": 0, "status": "error", "error_type": "AGENT_NOT_FOUND"}]);
    bench.file("broken.json", script.to_string());
    let out = bench.consign(&["trace", "--agent-script", "broken.json"]).stdin(LOGIN).run();
    let out = out.exits(0);
    assert!(out.stderr.contains("the rules did without it"), "{out:#?}");
    assert!(out.stdout.contains("# Coverage Matrix"), "{out:#?}");
}
