//! `consign proto`: the files of a new project, from the command line.

use std::fs;

use serde_json::{Value, json};

use super::workbench::{Workbench, run_of, slow_then, tree};
use crate::{pipelines::yard::keeps, support::text};

const GOAL: &str = "a REST API for books";

fn paths(result: &Value) -> Vec<String> {
    let files = result["artifacts"].as_array().expect("a list").iter();
    let mut paths: Vec<_> = files.map(|file| text(file, "filePath").to_owned()).collect();
    paths.sort();
    paths
}

#[test]
fn requirements_are_a_file_standard_input_or_a_goal() {
    let bench = Workbench::new();
    bench.file("needs.md", GOAL);
    let json = |args: &[&str]| {
        let out = bench.consign(&[&["proto", "--json"], args].concat()).stdin(GOAL).run();
        let result = out.exits(0).json();
        keeps("authoring/proto.result", &result);
        paths(&result)
    };
    let from_file = json(&["needs.md", "--stack", "express"]);
    assert!(from_file.len() > 5, "{from_file:?}");
    assert_eq!(json(&["--stack", "express"]), from_file);
    assert_eq!(json(&["-", "--stack", "express"]), from_file);
    assert_eq!(json(&["--goal", GOAL, "--stack", "express"]), from_file);
    assert_ne!(json(&["--goal", GOAL]), from_file, "a stack makes a difference");
}

#[test]
fn the_result_is_the_same_over_http() {
    let bench = Workbench::new();
    let args = ["proto", "--goal", GOAL, "--stack", "fastapi", "--json"];
    let ours = bench.run(&args).exits(0).json();
    assert_eq!(ours, bench.over_http("proto", &json!({"goal": GOAL, "stack": "fastapi"})));
}

#[test]
fn the_files_are_listed_or_written() {
    let bench = Workbench::new();
    let proto = ["proto", "--goal", GOAL, "--stack", "express"];
    let listed = bench.run(&proto).exits(0);
    let mut names: Vec<_> =
        listed.stdout.lines().filter_map(|line| line.split('\t').next()).collect();
    names.sort_unstable();
    let run = run_of(&listed.stderr).expect("the run is told");
    assert!(listed.stderr.contains(&format!("consign proto --run {run} --out DIR")), "{listed:#?}");
    bench.verified(&run);

    let dry = bench.run(&[&proto[..], &["--out", "books", "--dry-run"]].concat()).exits(0);
    assert_eq!(dry.stdout.lines().count(), names.len());
    assert!(!bench.path("books").exists());

    bench.run(&["proto", "--run", &run, "--out", "books"]).exits(0);
    assert_eq!(tree(&bench.path("books")), names);
    let result = bench.run(&["proto", "--run", &run, "--json"]).exits(0).json();
    for file in result["artifacts"].as_array().expect("a list") {
        let path = bench.path("books").join(text(file, "filePath"));
        assert_eq!(fs::read_to_string(path).ok().as_deref(), Some(text(file, "content")));
    }
    bench.run(&["proto", "--run", &run, "--out", "books"]).fails(1, "FILE_EXISTS");
    bench.run(&["proto", "--run", &run, "--out", "books", "--force"]).exits(0);
}

#[test]
fn nothing_to_build_is_refused() {
    let bench = Workbench::new();
    bench.consign(&["proto"]).stdin(" \n").run().fails(1, "VALIDATION_ERROR").telling("blank");
    bench.run(&["proto", "--goal", " "]).fails(1, "VALIDATION_ERROR").telling("--goal");
    bench.run(&["proto", "none.md"]).fails(1, "FILE_UNREADABLE");
    bench.run(&["proto", "--goal", GOAL, "--repo", "acme/shop"]).fails(2, "USAGE");
}

#[test]
fn a_model_writes_the_files_and_a_killed_command_loses_nothing() {
    let bench = Workbench::new();
    let files = json!({"files": [{"path": "src/main.py", "content": "print(1)\n"}, {"path": "README.md", "content": "# B\n"}]});
    bench.file("slow.json", slow_then("proto.generate", &files));
    let run = bench.killed(&["proto", "--goal", GOAL, "--agent-script", "slow.json"]);
    bench.run(&["proto", "--run", &run, "--out", "books"]).exits(0);
    assert_eq!(tree(&bench.path("books")), ["README.md", "src/main.py"]);
    bench.verified(&run);
    let result = bench.run(&["proto", "--run", &run, "--json"]).exits(0).json();
    assert_eq!(text(&result["metadata"], "source"), "model");
}
