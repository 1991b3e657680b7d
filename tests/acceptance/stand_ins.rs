//! Who stands in for agents and models is looked at before there is a run.

use crate::{home::Home, support::Outcome};

const CAT: &str = "name = \"cat\"\neffect = \"pure\"\n[subprocess]\ncommand = [\"cat\"]\n";
const MODEL: &str = "name = \"mind\"\neffect = \"pure\"\n[model]\nname = \"openai/gpt-5-mini\"\n";

fn home() -> Home {
    let home = Home::new();
    for (name, text) in [("cat.toml", CAT), ("mind.toml", MODEL)] {
        home.run(&["agents", "add", &home.file(name, text)]).exits(0);
    }
    home
}

fn started(home: &Home, agent: &str, more: &[&str]) -> Outcome {
    let input = format!(r#"{{"agent": "{agent}", "input": 1, "inputs": [1]}}"#);
    let workflow = if more.contains(&"--detach") { "agent/map" } else { "agent/call" };
    let input = match workflow {
        "agent/map" => input.replace(r#""input": 1, "#, ""),
        _ => input.replace(r#", "inputs": [1]"#, ""),
    };
    home.run(&[&["runs", "start", workflow, "--input", &input], more].concat())
}

#[test]
fn what_would_mean_nothing_is_refused_and_nobody_is_reached() {
    let home = home();
    let script = home.file("script.json", r#"[{"agent": "*", "response": "2", "times": 0}]"#);
    let scripted = format!("scripted:{script}");
    for more in [
        &["--model", &scripted][..],
        &["--model", "openai/gpt-5-mini"],
        &["--record", "tape.jsonl"],
        &["--detach", "--model", "bridge"],
    ] {
        started(&home, "cat", more).fails(2, "NOT_A_MODEL").telling("cat is no model");
    }
    let sample = ["runs", "start", "sample/steps", "--model", "bridge"];
    home.run(&sample).fails(2, "NOT_A_MODEL");
    assert_eq!(home.run(&["runs", "list"]).exits(0).stdout, "");
    started(&home, "cat", &["--agent-script", &script]).exits(0);
    started(&home, "mind", &["--model", &scripted]).exits(0);
    started(&home, "nobody", &["--model", "bridge"]).fails(1, "AGENT_NOT_FOUND");
}

#[test]
fn a_file_that_cannot_stand_in_is_told_before_there_is_a_run() {
    let home = home();
    let bad = home.file("bad.json", r#"[{"agent": "*", "respond": "2"}]"#);
    let (script, tape) = (format!("scripted:{bad}"), format!("replay:{bad}"));
    started(&home, "mind", &["--agent-script", &bad]).fails(1, "SCRIPT_INVALID").telling("respond");
    started(&home, "mind", &["--model", &script]).fails(1, "SCRIPT_INVALID");
    started(&home, "mind", &["--model", &tape]).fails(1, "RECORDING_INVALID");
    assert_eq!(home.run(&["runs", "list"]).exits(0).stdout, "");
}

#[test]
fn a_start_is_repeated_also_when_nobody_could_stand_in_any_more() {
    let home = home();
    let answers = r#"[{"agent": "*", "response": "2", "times": 0}]"#;
    let script = home.file("script.json", answers);
    let again = |agent| started(&home, agent, &["--agent-script", &script, "--id", "nightly"]);
    let first = again("mind").exits(0);
    home.file("script.json", "nonsense");
    assert_eq!(again("mind").exits(0).stdout, first.stdout);
    again("cat").fails(1, "SCRIPT_INVALID");
}
