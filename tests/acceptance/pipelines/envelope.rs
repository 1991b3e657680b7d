//! `consign envelope`: made, judged and read by hand.

use serde_json::{Value, json};

use super::{
    process::TWO,
    yard::{Yard, keeps},
};
use crate::support::{keys, text};

fn is_id(id: &str, prefix: &str) -> bool {
    let hex = |letter: char| letter.is_ascii_digit() || ('a'..='f').contains(&letter);
    id.strip_prefix(prefix).is_some_and(|rest| rest.len() == 16 && rest.chars().all(hex))
}

#[test]
fn a_new_envelope_has_every_field_and_names_of_its_own() {
    let yard = Yard::new();
    let first = yard.envelope("how does it work?", &[]);
    keeps("envelope/envelope", &first);
    assert_eq!(text(&first, "raw_input"), "how does it work?");
    let second = yard.envelope("how does it work?", &[]);
    for (name, prefix) in [("envelope_id", "env_"), ("request_id", "req_"), ("session_id", "sess_")]
    {
        assert!(is_id(text(&first, name), prefix), "{first}");
        assert_ne!(first[name], second[name], "{name}");
    }
    assert_eq!((text(&first, "current_stage"), text(&first, "user_id")), ("start", "anonymous"));
    for (name, value) in [
        ("terminated", json!(false)),
        ("terminal_reason", Value::Null),
        ("outputs", json!({})),
        ("max_iterations", json!(3)),
        ("max_llm_calls", json!(10)),
        ("max_agent_hops", json!(21)),
        ("max_stages", json!(5)),
        ("processing_history", json!([])),
        ("metadata", json!({})),
        ("completed_at", Value::Null),
    ] {
        assert_eq!(first[name], value, "{name}");
    }
}

#[test]
fn an_envelope_is_made_as_it_is_asked_for() {
    let yard = Yard::new();
    let made = yard.envelope(
        "and then?",
        &[
            "--user",
            "ada",
            "--session",
            "sess_0123456789abcdef",
            "--max-iterations",
            "7",
            "--max-llm-calls",
            "8",
            "--max-agent-hops",
            "9",
            "--max-stages",
            "2",
            "--metadata",
            r#"{"n": 1.50}"#,
        ],
    );
    keeps("envelope/envelope", &made);
    assert_eq!(
        (text(&made, "user_id"), text(&made, "session_id")),
        ("ada", "sess_0123456789abcdef")
    );
    let bounds = ["max_iterations", "max_llm_calls", "max_agent_hops", "max_stages"]
        .map(|name| made[name].clone());
    assert_eq!(bounds, [json!(7), json!(8), json!(9), json!(2)]);
    assert_eq!(made["metadata"], json!({"n": 1.50}));
    // The bounds of a pipeline, unless others are asked for.
    let pipeline = yard
        .file("two.toml", TWO.replacen("name = \"two\"", "name = \"two\"\nmax_agent_hops = 4", 1));
    assert_eq!(yard.envelope("x", &["--pipeline", &pipeline])["max_agent_hops"], 4);
    assert_eq!(
        yard.envelope("x", &["--pipeline", &pipeline, "--max-agent-hops", "5"])["max_agent_hops"],
        5
    );
    let typed = yard
        .consign(&["envelope", "new", "-"])
        .stdin("line one\nline \"two\" \u{1b}[31m\n")
        .run()
        .exits(0);
    assert!(!typed.stdout.contains('\u{1b}'), "{typed:#?}");
    assert_eq!(text(&typed.json(), "raw_input"), "line one\nline \"two\" \u{1b}[31m");
}

#[test]
fn what_makes_no_envelope_is_a_mistake() {
    let yard = Yard::new();
    for wrong in [
        &["--session", "sess_0123"][..],
        &["--session", "sess_0123456789ABCDEF"],
        &["--session", "env_0123456789abcdef"],
        &["--max-agent-hops", "0"],
        &["--max-iterations", "-1"],
        &["--max-llm-calls", "many"],
        &["--metadata", "{"],
        &["--metadata", "[1]"],
    ] {
        let out = yard.run(&[&["envelope", "new", "x"], wrong].concat()).exits(2);
        assert_eq!(out.stdout, "", "{out:#?}");
    }
    yard.run(&["envelope", "new"]).fails(2, "USAGE");
    yard.consign(&["envelope", "new", "-"]).stdin(b"\xff".to_vec()).run().fails(1, "MALFORMED");
}

#[test]
fn an_envelope_is_told_from_what_is_none() {
    let yard = Yard::new();
    let envelope = yard.envelope("x", &[]);
    let id = text(&envelope, "envelope_id").to_owned();
    let judge = |document: &str, args: &[&str]| {
        yard.consign(&[&["envelope", "validate"], args].concat()).stdin(document).run()
    };
    let told = judge(&envelope.to_string(), &[]).exits(0).stdout;
    assert_eq!(told, format!("{id} is a valid envelope of version 1.2\n"));
    let told = judge(&envelope.to_string(), &["--json"]).exits(0).json();
    assert_eq!(keys(&told), ["current_stage", "envelope_id", "terminated", "valid", "version"]);
    assert_eq!((&told["valid"], text(&told, "envelope_id")), (&json!(true), id.as_str()));
    let mut oldest = envelope.clone();
    for newer in ["llm_call_count", "agent_hop_count", "completed_stages", "goal_completion_status"]
    {
        oldest.as_object_mut().expect("an object").remove(newer);
    }
    assert_eq!(judge(&oldest.to_string(), &["--json"]).exits(0).json()["version"], "1.0");
    oldest["completed_stages"] = json!([]);
    assert_eq!(judge(&oldest.to_string(), &["--json"]).exits(0).json()["version"], "1.1");
    // Every breach is named.
    let mut broken = envelope;
    broken["envelope_id"] = json!("\u{1b}[31mred");
    broken["terminated"] = json!("no");
    broken.as_object_mut().expect("an object").remove("raw_input");
    let told = judge(&broken.to_string(), &[]).fails(1, "CONTRACT_BREACH");
    for word in ["envelope_id", "terminated", "raw_input"] {
        assert!(told.stderr.contains(word), "{told:#?}");
    }
    assert!(!told.stderr.contains('\u{1b}'), "{told:#?}");
    judge("{", &[]).fails(1, "MALFORMED");
    // A program reads its verdict on standard output, whatever it is.
    let told = judge("{", &["--json"]).exits(1);
    assert_eq!(
        (keys(&told.json()), told.stderr.as_str()),
        (vec!["contract", "malformed", "valid"], "")
    );
    let told = judge(&broken.to_string(), &["--json"]).exits(1).json();
    assert_eq!((&told["valid"], &told["contract"]), (&json!(false), &json!("envelope/envelope")));
    let pointers: Vec<_> = told["breaches"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| text(one, "pointer"))
        .collect();
    assert!(pointers.contains(&"/envelope_id") && pointers.contains(&"/terminated"), "{told}");
    let file = yard.file("broken.json", broken.to_string());
    yard.run(&["envelope", "validate", &file]).fails(1, "CONTRACT_BREACH").telling("broken.json");
    yard.run(&["envelope", "validate", "/no/such.json"]).exits(1);
}

#[test]
fn whether_an_envelope_can_go_on_is_told_with_what_it_has_used() {
    let yard = Yard::new();
    let envelope = yard.envelope("x", &[]);
    let check = |changes: Value, can: bool| {
        let mut envelope = envelope.clone();
        for (name, value) in changes.as_object().expect("an object") {
            envelope[name] = value.clone();
        }
        let out =
            yard.consign(&["envelope", "can-continue"]).stdin(envelope.to_string()).run().exits(0);
        let told = out.json();
        assert_eq!(
            keys(&told),
            ["agent_hop_count", "can_continue", "iteration", "llm_call_count", "terminal_reason"]
        );
        assert_eq!(told["can_continue"], can, "{changes}");
        told
    };
    let told = check(json!({}), true);
    assert_eq!((&told["iteration"], &told["terminal_reason"]), (&json!(0), &Value::Null));
    check(json!({"terminated": true, "terminal_reason": "completed_successfully"}), false);
    check(json!({"clarification_pending": true, "clarification_question": "?"}), false);
    check(json!({"clarification_pending": true, "clarification_response": "this"}), true);
    check(json!({"confirmation_pending": true}), false);
    check(json!({"confirmation_pending": true, "confirmation_response": false}), true);
    check(json!({"agent_hop_count": 21}), false);
    check(json!({"agent_hop_count": 20}), true);
    check(json!({"llm_call_count": 10}), false);
    check(json!({"iteration": 3}), true);
    check(json!({"iteration": 4}), false);
    let told = check(json!({"agent_hop_count": 12345678901234567890_u64}), false);
    assert_eq!(told["agent_hop_count"], json!(12345678901234567890_u64));
    yard.consign(&["envelope", "can-continue"]).stdin("{}").run().fails(1, "CONTRACT_BREACH");
}

#[test]
fn the_answer_of_an_envelope_is_printed_for_people_and_for_programs() {
    let yard = Yard::new();
    let mut envelope = yard.envelope("x", &[]);
    envelope["terminated"] = json!(true);
    envelope["outputs"] = json!({"integration": {
        "final_response": "It is in **a**.\n\n\u{1b}[31mred\u{9b}2J",
        "citations": [{"text": "let a = `b`;\u{1b}[2J", "location": "src/a.rs:3"}],
        "follow_up_suggestions": ["And b?"],
    }});
    let print = |args: &[&str]| {
        yard.consign(&[&["envelope", "result"], args].concat())
            .stdin(envelope.to_string())
            .run()
            .exits(0)
    };
    for form in ["text", "markdown"] {
        let told = print(&["--format", form]).stdout;
        assert!(told.starts_with("It is in **a**.\n"), "{told}");
        assert!(
            told.contains("src/a.rs:3") && told.contains("let a = `b`;") && told.contains("And b?"),
            "{told}"
        );
        assert!(!told.contains(['\u{1b}', '\u{9b}']), "{told:?}");
    }
    assert!(print(&["--format", "markdown"]).stdout.contains("## Sources\n- `src/a.rs:3`: "));
    let told = print(&["--json"]).json();
    assert_eq!(
        (&told["output_key"], &told["result"]),
        (&json!("integration"), &envelope["outputs"]["integration"])
    );
    let none = yard.envelope("x", &[]);
    let told = yard.consign(&["envelope", "result"]).stdin(none.to_string()).run();
    told.fails(1, "NO_RESULT").telling("it is at \"start\"");
    let mut asked = none;
    asked["clarification_pending"] = json!(true);
    asked["clarification_question"] = json!("which \u{1b}[31mone?");
    let told =
        yard.consign(&["envelope", "result"]).stdin(asked.to_string()).run().fails(1, "NO_RESULT");
    assert!(!told.stderr.contains('\u{1b}'), "{told:#?}");
}
