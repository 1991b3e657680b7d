//! The loop closed: a command or a model answers, and the creation goes on by itself.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use serde_json::{Value, json};

use super::workshop::{REQUEST, RESPONSE, STATE, Workshop, answer};
use crate::{
    models::{Double, with_keys},
    support::{Consign, text},
};

/// An agent as a program: the prompt on its standard input, the answer on its standard output.
const AGENT: &str = r#"#!/usr/bin/env python3
import json, os, sys
prompt = sys.stdin.read()
with open(os.environ["SEEN"], "a") as seen:
    seen.write(json.dumps({"phase": os.environ["CONSIGN_PHASE"], "retry": os.environ["CONSIGN_RETRY"],
                           "length": len(prompt)}) + "\n")
fail = os.environ.get("FAIL", "").split(",")
if os.environ["CONSIGN_PHASE"] + "/" + os.environ["CONSIGN_RETRY"] in fail or "all" in fail:
    sys.exit("the agent is out of sorts")
answers = json.load(open(os.environ["ANSWERS"]))
answer = answers[os.environ["CONSIGN_PHASE"]]
if os.environ["CONSIGN_PHASE"] == "agent_enhancement" and "route-specialist" not in prompt:
    answer["agent_name"] = "service-specialist"
print("Gladly.\n```json\n" + json.dumps(answer) + "\n```")
"#;

struct Watch {
    shop: Workshop,
    exec: String,
}

impl Watch {
    fn new() -> Self {
        let shop = Workshop::new();
        let program = shop.file("agent.py", AGENT);
        let of =
            |phase: &str| answer(&json!({"phase_name": phase, "prompt": "route-specialist"}), 0.9);
        let phases = ["codebase_analysis", "agent_creation", "agent_enhancement"];
        let answers: Value = phases.iter().map(|phase| ((*phase).to_owned(), of(phase))).collect();
        shop.file("answers.json", answers.to_string());
        Self { shop, exec: format!("python3 {program}") }
    }

    fn path(&self, name: &str) -> String {
        self.shop.file(name, "").trim_end_matches('\n').to_owned()
    }

    fn watching(&self, seen: &str, fail: &str, more: &[&str]) -> Consign {
        let project = self.shop.project().to_string_lossy().into_owned();
        let mut args = vec!["bridge", "watch", "--json", "--path", &project, "--exec", &self.exec];
        args.extend(more);
        let answers = self.shop.project().with_file_name("answers.json");
        self.shop.consign(&args).env("SEEN", seen).env("FAIL", fail).env("ANSWERS", answers)
    }

    fn seen(seen: &str) -> Vec<(String, String)> {
        let lines = std::fs::read_to_string(seen).unwrap();
        let each = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        each.map(|it| (text(&it, "phase").to_owned(), text(&it, "retry").to_owned())).collect()
    }
}

#[test]
fn a_command_answers_until_the_template_is_there() {
    let watch = Watch::new();
    watch.shop.create(&[]).exits(42);
    let seen = watch.path("seen");
    // The second phase fails once and is tried again.
    let report = watch.watching(&seen, "agent_creation/0", &[]).run().exits(0).json();
    assert_eq!((&report["status"], &report["fallbacks"]), (&json!("complete"), &json!([])));
    let pairs = [
        ("codebase_analysis", "0"),
        ("agent_creation", "0"),
        ("agent_creation", "1"),
        ("agent_enhancement", "0"),
        ("agent_enhancement", "0"),
    ];
    let pairs: Vec<_> = pairs.map(|(phase, retry)| (phase.to_owned(), retry.to_owned())).into();
    assert_eq!(Watch::seen(&seen), pairs);
    assert!(watch.shop.there().is_empty());
}

#[test]
fn rounds_that_fail_in_a_row_stop_the_watch_with_everything_in_place() {
    let watch = Watch::new();
    watch.shop.create(&[]).exits(42);
    let seen = watch.path("seen");
    let told = watch.watching(&seen, "all", &["--max-iterations", "2"]).run().exits(42).json();
    assert_eq!((&told["status"], &told["retry_count"]), (&json!("waiting"), &json!(2)));
    assert_eq!(Watch::seen(&seen).len(), 2);
    assert!(watch.shop.there().contains(STATE) && watch.shop.there().contains(REQUEST));
    // A fallback ends the row: with more patience it comes to its end by heuristics.
    let report = watch.watching(&seen, "all", &[]).run().exits(0).json();
    let fallbacks = report["fallbacks"].as_array().unwrap();
    assert!(fallbacks.iter().all(|it| text(it, "why").contains("the agent is out of sorts")));
    assert!(fallbacks.len() >= 3, "{report}");
}

#[test]
fn a_state_that_this_machine_did_not_begin_must_be_named() {
    let watch = Watch::new();
    watch.shop.create(&[]).exits(42);
    std::fs::remove_dir_all(watch.shop.home.path()).unwrap();
    let seen = watch.path("seen");
    let error = watch.watching(&seen, "", &[]).run().exits(1).error();
    assert_eq!(error["code"], "STATE_UNKNOWN");
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), "", "nothing is run");
    let output = watch.shop.output().to_string_lossy().into_owned();
    let wrong = ["--name", "other-name", "--output", &output];
    assert_eq!(watch.watching(&seen, "", &wrong).run().exits(1).error()["code"], "STATE_MISMATCH");
    watch.watching(&seen, "", &["--name", "order-api", "--output", &output]).run().exits(0);
}

#[test]
fn an_answer_that_is_there_already_is_not_paid_for_again() {
    let watch = Watch::new();
    watch.shop.create(&[]).exits(42);
    watch.shop.answer();
    let seen = watch.path("seen");
    watch.watching(&seen, "", &[]).run().exits(0);
    assert!(Watch::seen(&seen).iter().all(|(phase, _)| phase != "codebase_analysis"));
}

#[test]
fn a_model_answers_too() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    let of = |phase: &str, subject: &str| {
        answer(&json!({"phase_name": phase, "prompt": subject}), 0.9).to_string()
    };
    let script = [
        of("codebase_analysis", ""),
        of("agent_creation", ""),
        of("agent_enhancement", "route-specialist"),
        of("agent_enhancement", ""),
    ];
    let script: Vec<_> = script.iter().map(|said| json!({"text": said})).collect();
    let double = Double::start(Some(&json!(script).to_string()));
    std::fs::create_dir_all(shop.home.path()).unwrap();
    std::fs::write(shop.home.path().join("models.toml"), double.settings()).unwrap();
    let project = shop.project().to_string_lossy().into_owned();
    let args = ["bridge", "watch", "--json", "--path", &project, "--model", "openai/gpt-5-mini"];
    let report = with_keys(shop.consign(&args), "sk-watch-0123456789").run().exits(0).json();
    assert_eq!((&report["status"], &report["fallbacks"]), (&json!("complete"), &json!([])));
}

#[test]
fn an_answer_by_hand_is_held_to_its_contract_first() {
    let shop = Workshop::new();
    let project = shop.project().to_string_lossy().into_owned();
    let file = shop.file("answer.txt", "I have no idea.");
    let answering = |file: &str, more: &[&str]| {
        let args = ["bridge", "answer", "--json", "--path", &project, "--file", file];
        shop.run(&[&args[..], more].concat())
    };
    assert_eq!(answering(&file, &[]).exits(1).error()["code"], "NOT_PENDING");
    shop.create(&[]).exits(42);
    assert_eq!(answering(&file, &[]).exits(1).error()["code"], "PARSE_ERROR");
    let wrong = shop.file("wrong.json", r#"{"technology_stack": 1}"#);
    let error = answering(&wrong, &[]).exits(1).error();
    assert_eq!(error["code"], "VALIDATION_ERROR");
    assert!(error.to_string().contains("technology_stack"), "{error}");
    assert!(!shop.there().contains(RESPONSE), "nothing is written");
    answering(&file, &["--unchecked"]).exits(0);
    assert_eq!(answering(&file, &["--unchecked"]).exits(1).error()["code"], "ALREADY_ANSWERED");
    let status = shop.run(&["bridge", "status", "--json", "--path", &project]).exits(0).json();
    assert_eq!(status["response"], "waiting");
    shop.resume().exits(42);
    shop.run(&["bridge", "answer", "--path", &project, "--cancel", "--message", "no time"])
        .exits(0);
    let told = shop.resume().exits(42).json();
    assert_eq!(told["phase"], 7);
    let status = shop.run(&["template", "status", "--json", "--path", &project]).exits(0).json();
    assert_eq!(status["status"], "waiting");
    let why = |at: usize| status["fallbacks"][at]["why"].as_str().unwrap_or_default().to_owned();
    assert!(why(0).starts_with("PARSE_ERROR") && why(1) == "cancelled: no time", "{status}");
}

#[test]
fn a_model_without_a_key_is_refused_before_the_first_round() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    let project = shop.project().to_string_lossy().into_owned();
    let args = ["bridge", "watch", "--json", "--path", &project, "--model", "openai/gpt-5-mini"];
    assert_eq!(shop.run(&args).exits(1).error()["code"], "AI_KEY_MISSING");
    assert_eq!(shop.request()["retry_count"], 0, "nothing was tried");
}

#[test]
fn an_answer_that_is_too_large_is_an_error_and_no_end() {
    let watch = Watch::new();
    watch.shop.create(&["--no-agents"]).exits(42);
    let project = watch.shop.project().to_string_lossy().into_owned();
    // Escapes make it twice as large.
    let exec = "python3 -c 'print(chr(10) * 9000000)'";
    let args = ["bridge", "watch", "--json", "--path", &project, "--exec", exec];
    let report = watch.shop.run(&args).exits(0).json();
    assert_eq!(report["fallbacks"].as_array().unwrap().len(), 1, "{report}");
}
