//! What an envelope may not decide: whose it is, where it may look, which way it goes, and how large it becomes.

use serde_json::{Value, json};

use super::{process::asking, yard::Yard};
use crate::support::text;

/// Gives as much as it is told to, or as deep.
const GROWS: &str = r#"
name = "grows"
[[stage]]
name = "one"
agent.effect = "pure"
agent.subprocess.command = ["python3", "grow.py"]
default_next = "two"
[[stage]]
name = "two"
agent.effect = "pure"
agent.subprocess.command = ["python3", "grow.py"]
"#;

const GROW_PY: &str = r#"
import json, sys
kind, size = json.load(sys.stdin)["raw_input"].split()
if kind == "wide":
    sys.stdout.write(json.dumps({"text": "x" * int(size)}))
else:
    sys.stdout.write('{"a":' * int(size) + "1" + "}" * int(size))
"#;

fn grows(yard: &Yard) -> String {
    yard.file("grow.py", GROW_PY);
    yard.file("grows.toml", GROWS)
}

#[test]
fn what_goes_out_is_let_in_again_however_it_went() {
    let yard = Yard::new();
    let pipeline = grows(&yard);
    for (input, code) in [("wide 9000000", "ENVELOPE_TOO_LARGE"), ("deep 127", "OUTPUT_TOO_DEEP")] {
        let piped = yard.processed(yard.envelope(input, &[]), &["--pipeline", &pipeline]);
        assert_eq!(piped["terminal_reason"], "tool_failed_fatally", "{input}");
        assert_eq!(piped["errors"][0]["error_type"], code, "{input}");
        yard.consign(&["envelope", "validate"]).stdin(piped.to_string()).run().exits(0);
        let run = yard.durable(&pipeline, &json!(input), &[], 1);
        let envelope = &run["fault"]["details"]["envelope"];
        assert_eq!(envelope["errors"][0]["error_type"], code, "{input}");
        assert_eq!(
            envelope["outputs"].as_object().map(|it| it.len()),
            piped["outputs"].as_object().map(|it| it.len())
        );
    }
    // As much as there is room for comes out of a run as it comes out of the pipe.
    for input in ["wide 7000000", "deep 100"] {
        let piped = yard.processed(yard.envelope(input, &[]), &["--pipeline", &pipeline]);
        assert_eq!(piped["terminal_reason"], "completed_successfully", "{input}");
        let run = yard.durable(&pipeline, &json!(input), &[], 0);
        assert!(run["output"]["outputs"] == piped["outputs"], "{input}");
    }
}

/// A run that waits, made by one server, and the envelope that it gave.
fn waiting(yard: &Yard, pipeline: &str, more: &[&str]) -> (String, Value) {
    let server = yard.serve(&[&["--pipeline", pipeline], more].concat());
    let (run, mut envelope) = server.durable(&yard.envelope("hello", &[]));
    server.stop().exits(0);
    envelope["clarification_response"] = json!("one");
    (run, envelope)
}

#[test]
fn an_envelope_chooses_neither_the_owner_nor_the_way_nor_the_place_of_its_run() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let policy = yard.file("policy.toml", "default = \"deny\"\n");
    let other = yard.file(
        "other.toml",
        std::fs::read_to_string(yard.path("asks.toml"))
            .expect("it is there")
            .replace("name = \"asks\"", "name = \"others\""),
    );
    let (run, envelope) = waiting(&yard, &pipeline, &[]);
    for (elsewhere, more) in [
        (&pipeline, &["--owner", "bob"][..]),
        (&pipeline, &["--policy", &policy]),
        (&pipeline, &["--repo", "/"]),
        (&other, &[]),
    ] {
        let server = yard.serve(&[&["--pipeline", elsewhere], more].concat());
        let (made, _) = server.durable(&envelope);
        assert_ne!(made, run, "{more:?}");
        assert_eq!(yard.home.show(&run)["status"], "waiting", "{more:?}");
        server.stop().exits(0);
    }
    let server = yard.serve(&["--pipeline", &pipeline]);
    // Another question under the same name is another question.
    let mut changed = envelope.clone();
    changed["raw_input"] = json!("something else");
    assert_ne!(server.durable(&changed).0, run);
    let mut rewritten = envelope.clone();
    rewritten["processing_history"][0]["agent"] = json!("somebody");
    assert_ne!(server.durable(&rewritten).0, run);
    // Who wants it to stop earlier than it was started to is told, and nothing is done.
    server.post("/api/v1/process?durable=true&until=ask", &envelope).refuses(409, "INVALID_STATE");
    assert_eq!(yard.home.show(&run)["status"], "waiting");
    assert_eq!(server.durable(&envelope).0, run, "where it came from it goes on");
}

#[test]
fn an_envelope_of_a_cancelled_run_is_over() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let (run, mut envelope) = server.durable(&yard.envelope("hello", &[]));
    server.post(&format!("/api/runs/{run}/cancel"), &json!({}));
    yard.until_over(&run);
    envelope["clarification_response"] = json!("one");
    let (same, over) = server.durable(&envelope);
    assert_eq!((same.as_str(), &over["terminated"]), (run.as_str(), &json!(true)));
    assert_eq!(over["errors"][0]["error_type"], "CANCELLED");
    assert_eq!(over["termination_reason"], "The run was cancelled");
    let runs = server.get("/api/runs").json();
    assert_eq!(runs["items"].as_array().map(Vec::len), Some(1), "nothing is begun anew: {runs}");
}

#[test]
fn nothing_is_no_answer_by_whatever_way_it_comes() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let mut piped = yard.processed(yard.envelope("hello", &[]), &["--pipeline", &pipeline]);
    let (run, mut durable) = server.durable(&yard.envelope("hello", &[]));
    for nothing in ["", "  "] {
        piped["clarification_response"] = json!(nothing);
        let still = yard.processed(&piped, &["--pipeline", &pipeline]);
        assert_eq!(still["clarification_pending"], true, "{nothing:?}");
        durable["clarification_response"] = json!(nothing);
        let (same, still) = server.durable(&durable);
        assert_eq!((&same, &still["clarification_pending"]), (&run, &json!(true)), "{nothing:?}");
    }
}

#[test]
fn wishes_that_are_no_wishes_harm_nobody() {
    let yard = Yard::new();
    yard.file("src/a.py", "def hello():\n    return 1\n");
    let repo = yard.path("src").display().to_string();
    let huge = "x".repeat(3 << 20);
    let wishes = json!({"user_preferences": {"a": huge, "b": huge, "tone": "short"}}).to_string();
    let mut loaded = yard.envelope("who calls hello?", &[]);
    loaded["metadata"] = serde_json::from_str(&wishes).expect("it is JSON");
    yard.processed(&loaded, &["--repo", &repo, "--until", "perception"]);
    let next = yard.processed(yard.envelope("who calls hello?", &[]), &["--repo", &repo]);
    assert_eq!(next["terminal_reason"], "completed_successfully");
    let known = &next["outputs"]["perception"]["context"]["user_preferences"];
    assert_eq!(known, &json!({"tone": "short"}), "small ones are kept");
}

/// Says which key it was called under.
const KEYED: &str = r#"
name = "keyed"
[[stage]]
name = "ask"
output_key = "intent"
agent.effect = "keyed"
agent.subprocess.command = ["python3", "key.py"]
default_next = "end"
"#;

const KEY_PY: &str = r#"
import json, os, sys
envelope = json.load(sys.stdin)
said = envelope["clarification_response"]
key = os.environ["CONSIGN_IDEMPOTENCY_KEY"]
print(json.dumps({"goals": [], "key": key, "clarification_needed": not said, "clarification_question": "What?"}))
"#;

#[test]
fn another_state_of_an_envelope_is_called_for_under_another_key() {
    let yard = Yard::new();
    yard.file("key.py", KEY_PY);
    let pipeline = yard.file("keyed.toml", KEYED);
    let fresh = yard.envelope("hello", &[]);
    let key = |envelope: &Value| text(&envelope["outputs"]["intent"], "key").to_owned();
    let mut asked = yard.processed(&fresh, &["--pipeline", &pipeline]);
    let again = yard.processed(&fresh, &["--pipeline", &pipeline]);
    assert_eq!(key(&asked), key(&again), "the same is sent again");
    asked["clarification_response"] = json!("this");
    let answered = yard.processed(&asked, &["--pipeline", &pipeline]);
    assert_ne!(key(&asked), key(&answered), "what is asked now is another question");
}

#[test]
fn another_envelope_under_the_name_of_a_run_is_refused() {
    let yard = Yard::new();
    let pipeline =
        yard.file("pass.toml", "name = \"p\"\n[[stage]]\nname = \"a\"\nagent = \"pass\"\n");
    let [one, two] = [0, 1].map(|_| yard.envelope("hello", &[]));
    let named = ["--id", "nightly"];
    let first = yard.durable(&pipeline, &one, &named, 0);
    assert_eq!(
        yard.durable(&pipeline, &one, &named, 0)["id"],
        first["id"],
        "the same again is the same run"
    );
    yard.run(&["run", &pipeline, "--input", &two.to_string(), "--id", "nightly"])
        .fails(1, "RUN_EXISTS");
    let asked = yard.durable(&pipeline, &json!("hello"), &["--id", "words"], 0);
    let again = yard.durable(&pipeline, &json!("hello"), &["--id", "words"], 0);
    assert_eq!(again["id"], asked["id"]);
}

#[test]
fn who_starts_a_run_over_http_does_not_say_where_it_may_look() {
    let yard = Yard::new();
    yard.file("open/a.py", "def hello():\n    return 1\n");
    yard.file("closed/b.py", "SECRET = \"tr0ub4dor\"\n");
    let (open, closed) = (yard.path("open"), yard.path("closed"));
    let server = yard.serve(&["--repo", &open.display().to_string()]);
    let pipeline =
        json!({"name": "reads", "stages": [{"name": "execution", "agent": "execution"}]});
    let mut envelope = yard.envelope("hello", &[]);
    let step = json!({"tool": "read_file", "params": {"path": "b.py"}});
    envelope["outputs"] = json!({"plan": {"plan_id": "p", "steps": [step]}});
    envelope["current_stage"] = json!("execution");
    let input = json!({"pipeline": pipeline, "envelope": envelope, "place": {"repo": closed}});
    let started = server
        .post("/api/runs", &json!({"workflow": "pipeline/envelope", "input": input}))
        .is(201)
        .json();
    let over = yard.until_over(text(&started, "id"));
    assert!(!over.to_string().contains("tr0ub4dor"), "{over}");
    assert_eq!(over["input"]["place"]["repo"], json!(open));
    for workflow in ["agent/call", "agent/map"] {
        let input = json!({"agent": "execution", "input": {}, "inputs": [{}]});
        server
            .post("/api/runs", &json!({"workflow": workflow, "input": input}))
            .refuses(400, "VALIDATION_ERROR");
    }
}
