//! Every error type in every phase that asks, at every try: what follows, the exit code, what stays.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::workshop::{REQUEST, STATE, Workshop};
use crate::support::text;

/// What a failed response leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    /// The same question again, with another id and more time.
    Again,
    /// The phase is done by heuristics.
    Heuristics,
}

fn failures() -> Vec<(Value, Then, &'static str)> {
    let error = |kind: &str| json!({"status": "error", "error_type": kind, "error_message": "so"});
    vec![
        (error("AGENT_NOT_FOUND"), Then::Heuristics, "AGENT_NOT_FOUND: so"),
        (error("INVOCATION_FAILED"), Then::Again, "INVOCATION_FAILED: so"),
        (error("TIMEOUT"), Then::Again, "TIMEOUT: so"),
        (error("PARSE_ERROR"), Then::Heuristics, "PARSE_ERROR: so"),
        (error("VALIDATION_ERROR"), Then::Heuristics, "VALIDATION_ERROR: so"),
        (error("UNKNOWN"), Then::Heuristics, "UNKNOWN: so"),
        (json!({"status": "error"}), Then::Heuristics, "UNKNOWN"),
        (json!({"status": "timeout"}), Then::Again, "TIMEOUT"),
        (json!({"status": "timeout", "error_type": "UNKNOWN"}), Then::Again, "TIMEOUT"),
        (json!({"status": "cancelled", "error_message": "so"}), Then::Heuristics, "cancelled: so"),
        (json!({"status": "success"}), Then::Heuristics, "PARSE_ERROR"),
        (json!({"status": "success", "response": " "}), Then::Heuristics, "PARSE_ERROR"),
        (json!({"status": "success", "response": "no JSON"}), Then::Heuristics, "PARSE_ERROR"),
        (json!({"status": "success", "response": "[1]"}), Then::Heuristics, "_ERROR"),
        (
            json!({"status": "success", "response": r#"{"overall_confidence": 7}"#}),
            Then::Heuristics,
            "VALIDATION_ERROR",
        ),
    ]
}

/// Why the last request was done without, by the state.
fn why(shop: &Workshop) -> String {
    let notes = shop.read(STATE)["phase_data"]["consign"]["notes"].clone();
    let last = notes.as_array().and_then(|notes| notes.last()).cloned().expect("there is a note");
    assert_eq!(last["source"], "heuristic", "{last}");
    text(&last, "why").to_owned()
}

fn each(phase_name: &str) {
    let both: BTreeSet<String> = [REQUEST, STATE].map(str::to_owned).into();
    for (failure, then, expected) in failures() {
        let shop = Workshop::new();
        shop.until(phase_name);
        let mut asked = vec![shop.request()];
        let tries = if then == Then::Again { 3 } else { 1 };
        for number in 1..=tries {
            shop.respond(failure.clone());
            let outcome = shop.resume();
            // After the last enhancement comes the end, and there are two of them.
            outcome.exits(42);
            assert_eq!(shop.there(), both, "{failure}");
            let request = shop.request();
            let last = asked.last().unwrap().clone();
            assert_ne!(request["request_id"], last["request_id"], "{failure}");
            if number < tries {
                assert_eq!(request["phase_name"], last["phase_name"], "{failure}");
                assert_eq!(request["prompt"], last["prompt"], "{failure}");
                assert_eq!(request["retry_count"], number, "{failure}");
                let time = |request: &Value| request["timeout_seconds"].as_u64().unwrap();
                assert_eq!(time(&request), (time(&last) * 2).min(600), "{failure}");
            } else {
                assert_eq!(request["retry_count"], 0, "{failure}");
                assert_eq!(request["timeout_seconds"], 120, "{failure}");
                let why = why(&shop);
                assert!(why.contains(expected), "{failure}: {why}");
                assert_eq!(why.contains("3 tries"), tries == 3, "{failure}: {why}");
            }
            asked.push(request);
        }
        let state = shop.read(STATE);
        let requests = state["agent_requests"].as_array().unwrap();
        assert_eq!(requests.iter().filter(|it| it["status"] == "pending").count(), 1);
        let done = requests.iter().filter(|it| it["status"] == "completed").count();
        let before = match phase_name {
            "codebase_analysis" => 0,
            "agent_creation" => 1,
            _ => 2,
        };
        assert_eq!(done, before, "what was paid for stays: {failure}");
    }
}

#[test]
fn every_failure_of_the_analysis_has_its_recovery() {
    each("codebase_analysis");
}

#[test]
fn every_failure_of_the_recommendation_has_its_recovery() {
    each("agent_creation");
}

#[test]
fn every_failure_of_an_enhancement_has_its_recovery_and_spares_the_other_agents() {
    each("agent_enhancement");
}

#[test]
fn confidence_is_judged_at_the_edges_of_each_gate() {
    let gates = [
        ("codebase_analysis", 0.85, 0.70),
        ("agent_creation", 0.85, 0.70),
        ("agent_enhancement", 0.80, 0.60),
    ];
    for (phase, accept, least) in gates {
        let rows = [
            (Some(1.0), "agent"),
            (Some(accept), "agent"),
            (Some(accept - 0.000_001), "doubt"),
            (Some(least), "doubt"),
            (Some(least - 0.000_001), "heuristic"),
            (Some(0.0), "heuristic"),
            (None, "heuristic"),
        ];
        for (confidence, expected) in rows {
            // Once in the metadata, which leads, and once in the answer.
            for in_metadata in [true, false] {
                let shop = Workshop::new();
                shop.until(phase);
                let mut said = super::workshop::answer(&shop.request(), 1.0);
                let mut members = json!({"status": "success"});
                said.as_object_mut().unwrap().remove("overall_confidence");
                match confidence {
                    Some(sure) if in_metadata => {
                        said["overall_confidence"] = json!(0.5);
                        members["metadata"] = json!({"confidence": sure});
                    }
                    Some(sure) => said["overall_confidence"] = json!(sure),
                    None => {}
                }
                members["response"] = json!(said.to_string());
                shop.respond(members);
                shop.resume().exits(42);
                let notes = shop.read(STATE)["phase_data"]["consign"]["notes"].clone();
                let note = notes.as_array().unwrap().last().unwrap().clone();
                let found = match (text(&note, "source"), note.get("why")) {
                    ("agent", None) => "agent",
                    ("agent", Some(_)) => "doubt",
                    _ => "heuristic",
                };
                assert_eq!(found, expected, "{phase} {confidence:?} {in_metadata}: {note}");
            }
        }
    }
}

#[test]
fn nobody_answers_in_time_and_the_third_time_it_is_done_without() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    for number in 1..=3 {
        // As if it had been asked long ago.
        let mut state = shop.read(STATE);
        state["phase_data"]["consign"]["asked_at"] = json!(1);
        shop.put(STATE, state.to_string());
        shop.resume().exits(42);
        let request = shop.request();
        let (phase, retry) = if number < 3 { (1, number) } else { (5, 0) };
        assert_eq!((&request["phase"], &request["retry_count"]), (&json!(phase), &json!(retry)));
    }
    assert!(why(&shop).contains("TIMEOUT: there was no answer within 480 s"));
}

#[test]
fn an_answer_that_came_just_in_time_is_heard() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    let mut state = shop.read(STATE);
    state["phase_data"]["consign"]["asked_at"] = json!(1);
    shop.put(STATE, state.to_string());
    shop.answer();
    let told = shop.resume().exits(42).json();
    assert_eq!((&told["phase"], &told["retry_count"]), (&json!(5), &json!(0)));
}
