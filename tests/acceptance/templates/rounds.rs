//! A creation from its first request to its template, with somebody in another process who answers.

use std::{collections::BTreeSet, fs};

use serde_json::json;

use super::workshop::{REQUEST, STATE, Workshop, answer};
use crate::support::text;

fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

#[test]
fn a_template_is_made_in_rounds_of_42_answer_and_resume() {
    let shop = Workshop::new();
    let mut rounds = Vec::new();
    let mut outcome = shop.create(&[]);
    while outcome.code == Some(42) {
        let told = outcome.json();
        let request = shop.request();
        assert_eq!(told["request_id"], request["request_id"]);
        assert_eq!(shop.there(), names([REQUEST, STATE]), "nothing is cleaned up after 42");
        assert!(!shop.output().exists(), "the template appears at the end, whole");
        let state = shop.read(STATE);
        assert_eq!(state["checkpoint_name"], "before_agent_invocation");
        assert_eq!(state["phase"], request["phase"]);
        let asked = state["agent_requests"].as_array().unwrap();
        assert_eq!(asked.last().unwrap()["status"], "pending");
        assert!(asked[..asked.len() - 1].iter().all(|asked| asked["status"] == "completed"));
        rounds.push((request["phase"].as_u64().unwrap(), text(&request, "agent_name").to_owned()));
        // Another process: it reads the request and says what an agent would say.
        let file = shop
            .file("said.txt", format!("Here it is:\n```json\n{}\n```\n", answer(&request, 0.9)));
        let project = shop.project().to_string_lossy().into_owned();
        shop.run(&["bridge", "answer", "--path", &project, "--file", &file, "--model", "m"])
            .exits(0);
        let response = shop.read(".agent-response.json");
        assert_eq!(response["metadata"], json!({"model": "m", "confidence": 0.9}));
        assert!(response["duration_seconds"].as_f64().unwrap() >= 0.0);
        outcome = shop.resume();
    }
    let report = outcome.exits(0).json();
    let reviewer = "architectural-reviewer".to_owned();
    let enhancer = "agent-content-enhancer".to_owned();
    let expected = [(1, reviewer.clone()), (5, reviewer), (7, enhancer.clone()), (7, enhancer)];
    assert_eq!(rounds, expected);
    assert_eq!(report["status"], "complete");
    assert_eq!(report["fallbacks"], json!([]));
    assert_eq!(shop.there(), BTreeSet::new(), "everything is cleaned up at the end");
    for file in ["manifest.json", "settings.json", "CLAUDE.md", "agents/route-specialist.md"] {
        assert!(shop.output().join(file).is_file(), "{file}");
    }
    let agent = fs::read_to_string(shop.output().join("agents/route-specialist.md")).unwrap();
    assert!(agent.starts_with("---\n") && agent.contains("Keep handlers thin."), "{agent}");
    let run = text(&report, "run");
    assert_eq!(shop.home.status(run), "succeeded");
    shop.home.run(&["runs", "verify", run]).exits(0);
}

#[test]
fn whoever_resumes_too_early_changes_nothing() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    let before = [STATE, REQUEST].map(|name| fs::read(shop.project().join(name)).unwrap());
    for _ in 0..3 {
        shop.resume().exits(42);
    }
    let after = [STATE, REQUEST].map(|name| fs::read(shop.project().join(name)).unwrap());
    assert_eq!(before, after);
}

#[test]
fn another_machine_goes_on_from_another_folder() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    shop.answer();
    // A home that has never heard of it is another machine.
    fs::remove_dir_all(shop.home.path()).unwrap();
    let elsewhere = std::env::temp_dir();
    let told = shop.creating(&["--resume"]).folder(&elsewhere).run().exits(42).json();
    assert_eq!(told["phase"], 5);
    let run = text(&told, "run");
    assert_eq!(shop.home.status(run), "waiting");
    assert!(!elsewhere.join(STATE).exists());
}

#[test]
fn what_somebody_says_in_a_script_makes_the_same_template() {
    let shop = Workshop::new();
    let entry = |agent: &str, phase: &str, subject: &str| {
        let request = json!({"phase_name": phase, "prompt": subject});
        json!({"agent": agent, "response": answer(&request, 0.9)})
    };
    let script = json!([
        entry("architectural-reviewer", "codebase_analysis", ""),
        entry("architectural-reviewer", "agent_creation", ""),
        entry("agent-content-enhancer", "agent_enhancement", "route-specialist"),
        entry("agent-content-enhancer", "agent_enhancement", "service-specialist"),
    ]);
    let file = shop.file("script.json", script.to_string());
    let report = shop.create(&["--agent-script", &file]).exits(0).json();
    assert_eq!((&report["fallbacks"], &report["requests"]), (&json!([]), &json!(4)));
    assert!(shop.output().join("agents/service-specialist.md").is_file());
    assert_eq!(shop.there(), BTreeSet::new());
}

#[test]
fn a_script_that_fails_leaves_a_template_by_heuristics_that_says_so() {
    let shop = Workshop::new();
    let file = shop.file("script.json", r#"[{"agent": "*", "status": "error", "error_type": "UNKNOWN", "error_message": "no", "times": 0}]"#);
    let report = shop.create(&["--agent-script", &file]).exits(0).json();
    let fallbacks = report["fallbacks"].as_array().unwrap();
    assert!(fallbacks.len() >= 3, "{report}");
    for fallback in fallbacks {
        assert_eq!(
            (&fallback["source"], &fallback["why"]),
            (&json!("heuristic"), &json!("UNKNOWN: no"))
        );
    }
    let phases = report["phases"].as_array().unwrap();
    for phase in [1, 5, 7] {
        let done = phases.iter().find(|done| done["phase"] == phase).unwrap();
        assert!(text(done, "summary").contains("heuristic"), "{done}");
    }
    let manifest = fs::read(shop.output().join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["source"], "heuristic");
    for part in ["analysis", "agents"] {
        let part = &manifest["sources"][part];
        assert_eq!((&part["source"], &part["why"]), (&json!("heuristic"), &json!("UNKNOWN: no")));
    }
}

#[test]
fn a_dry_run_writes_nothing() {
    let shop = Workshop::new();
    let told = shop.create(&["--dry-run"]).exits(0).json();
    assert_eq!(told["status"], "dry_run");
    let files = told["files"].as_array().unwrap();
    assert!(files.contains(&json!("manifest.json")), "{told}");
    assert_eq!(shop.there(), BTreeSet::new());
    assert!(!shop.output().exists() && !shop.home.path().exists());
}

#[test]
fn without_agents_phases_five_to_seven_are_left_out() {
    let shop = Workshop::new();
    shop.create(&["--no-agents"]).exits(42);
    shop.answer();
    let report = shop.resume().exits(0).json();
    let phases = report["phases"].as_array().unwrap();
    let phases: Vec<_> = phases.iter().map(|done| done["phase"].as_u64().unwrap()).collect();
    assert_eq!(phases, [1, 2, 3, 4, 8, 9]);
    assert!(!shop.output().join("agents").exists());
}

#[test]
fn without_asking_anybody_a_template_is_made_at_once() {
    let shop = Workshop::new();
    let report = shop.create(&["--no-ask"]).exits(0).json();
    let fallbacks = report["fallbacks"].as_array().unwrap();
    assert!(fallbacks.iter().all(|it| text(it, "why").contains("--no-ask")), "{report}");
    assert!(shop.there().is_empty() && shop.output().join("manifest.json").is_file());
}

#[test]
fn a_dry_run_is_in_nobodys_way() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    let before = fs::read(shop.project().join(STATE)).unwrap();
    shop.create(&["--dry-run"]).exits(0);
    assert_eq!(fs::read(shop.project().join(STATE)).unwrap(), before);
}

#[test]
fn a_home_that_cannot_be_written_stops_no_creation() {
    let shop = Workshop::new();
    fs::write(shop.home.path(), "not a folder").unwrap();
    let outcome = shop.create(&[]).exits(42);
    assert!(outcome.stderr.contains("the inbox does not show this creation"), "{outcome:?}");
    shop.answer();
    shop.resume().exits(42);
}
