//! `runs output` and `runs logs`: what a run came to, and what its programs said besides.

use serde_json::json;

use crate::{pipelines::yard::Yard, support::text};

const TALKS: &str = r#"
name = "talks"

[[stage]]
name = "one"
agent.effect = "pure"
agent.subprocess.command = ["sh", "-c", "printf 'first \\033[31mred\n' >&2; echo '{\"a\": 1}'"]

[[stage]]
name = "two"
tries = 1
agent.effect = "pure"
agent.subprocess.command = ["sh", "-c", "echo second >&2; [ -e fine ] && echo '{\"b\": 2}'"]
"#;

#[test]
fn the_output_of_a_run_is_its_result_alone() {
    let yard = Yard::new();
    yard.file("fine", "");
    let talks = yard.file("talks.toml", TALKS);
    let run = yard.durable(&talks, &json!({}), &[], 0);
    let run = text(&run, "id");
    for more in [&[][..], &["--json"]] {
        let out = yard.run(&[&["runs", "output", run], more].concat()).exits(0);
        assert_eq!((out.stdout.as_str(), out.stderr.as_str()), ("{\"b\":2}\n", ""));
    }
    let steps = yard.run(&["runs", "start", "sample/steps", "--json"]).exits(0).json();
    let out = yard.run(&["runs", "output", text(&steps, "id")]).exits(0).json();
    assert_eq!(out, steps["output"]);
}

#[test]
fn what_has_no_result_says_so_and_prints_nothing() {
    let yard = Yard::new();
    let talks = yard.file("talks.toml", TALKS);
    let failed = yard.durable(&talks, &json!({}), &[], 1);
    let out = yard.run(&["runs", "output", text(&failed, "id")]).fails(1, "EXIT_STATUS");
    assert_eq!(out.stdout, "");
    yard.run(&["run", &talks, "--detach", "--id", "later"]).exits(0);
    let out = yard.run(&["runs", "output", "later"]).fails(1, "NO_RESULT");
    assert_eq!(out.telling("run later is queued and has no result yet").stdout, "");
}

#[test]
fn logs_are_kept_of_programs_that_succeed_and_of_those_that_fail() {
    let yard = Yard::new();
    let talks = yard.file("talks.toml", TALKS);
    let run = yard.durable(&talks, &json!({}), &[], 1);
    let run = text(&run, "id");
    let all = yard.run(&["runs", "logs", run]).exits(0).stdout;
    assert!(!all.contains('\u{1b}'), "{all:?}");
    assert!(all.starts_with("one-1 | first") && all.ends_with("red\ntwo-2 | second\n"), "{all}");
    assert_eq!(yard.run(&["runs", "logs", run, "two"]).exits(0).stdout, "second\n");
    let each = yard.run(&["runs", "logs", run, "--json"]).exits(0).json_lines();
    let told: Vec<_> =
        each.iter().map(|log| (text(log, "key"), &log["ok"], &log["exit_code"])).collect();
    assert_eq!(told, [("one-1", &json!(true), &json!(0)), ("two-2", &json!(false), &json!(1))]);
    yard.run(&["runs", "logs", run, "three"])
        .fails(2, "UNKNOWN_STAGE")
        .telling("these have: one-1, two-2");
}

#[test]
fn a_pipeline_file_is_no_workflow_and_the_hint_says_what_runs_it() {
    let yard = Yard::new();
    let talks = yard.file("talks.toml", TALKS);
    let told = format!("a pipeline's file is run by `consign run {talks}`");
    yard.run(&["runs", "start", &talks]).fails(2, "WORKFLOW_NOT_FOUND").telling(&told);
}
