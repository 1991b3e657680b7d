//! Responses, states and files that do not count: each is refused with what is wrong, and left alone.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use super::workshop::{REQUEST, RESPONSE, STATE, Workshop, answer};
use crate::support::text;

/// Puts something in the place of the response and resumes: refused, and nothing has changed.
#[track_caller]
fn refused(shop: &Workshop, code: &str, words: &str) {
    let files = [STATE, REQUEST, RESPONSE].map(|name| fs::read(shop.project().join(name)).ok());
    let outcome = shop.resume().exits(1);
    let error = outcome.error();
    assert_eq!(error["code"], code, "{error}");
    assert!(error.to_string().contains(words), "{words:?}: {error}");
    assert!(error.get("hint").is_some(), "it says what to do: {error}");
    let after = [STATE, REQUEST, RESPONSE].map(|name| fs::read(shop.project().join(name)).ok());
    assert!(files == after, "everything is left as it is");
}

fn good(shop: &Workshop) -> Value {
    let said = answer(&shop.request(), 0.95).to_string();
    shop.response(json!({"status": "success", "response": said}))
}

#[test]
fn a_response_that_breaks_its_contract_is_refused_with_the_breach() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    let with = |name: &str, value: Value| {
        let mut response = good(&shop);
        response[name] = value;
        response.to_string()
    };
    let without = |name: &str| {
        let mut response = good(&shop);
        response.as_object_mut().unwrap().remove(name);
        response.to_string()
    };
    let whole = good(&shop).to_string();
    let other = "550e8400-e29b-41d4-a716-446655440000";
    let rows = [
        (with("request_id", json!(other)), "RESPONSE_MISMATCH", other),
        (with("request_id", json!("mine")), "CONTRACT_BREACH", "request_id"),
        (with("version", json!("2.0")), "VERSION_UNSUPPORTED", "2.0"),
        (with("version", json!("one")), "CONTRACT_BREACH", "version"),
        (with("colour", json!("red")), "CONTRACT_BREACH", "colour"),
        (with("response", json!({"technology_stack": {}})), "CONTRACT_BREACH", "response"),
        (with("status", json!("done")), "CONTRACT_BREACH", "status"),
        (with("duration_seconds", json!(-1)), "CONTRACT_BREACH", "duration_seconds"),
        (with("metadata", json!({"confidence": 2})), "CONTRACT_BREACH", "confidence"),
        (without("created_at"), "CONTRACT_BREACH", "created_at"),
        (without("status"), "CONTRACT_BREACH", "status"),
        (String::new(), "RESPONSE_MALFORMED", "JSON"),
        (whole[..whole.len() / 2].to_owned(), "RESPONSE_MALFORMED", "JSON"),
        (format!("\u{feff}{whole}"), "RESPONSE_MALFORMED", "JSON"),
        (format!("{whole}{whole}"), "RESPONSE_MALFORMED", "JSON"),
        ("[]".to_owned(), "CONTRACT_BREACH", "object"),
        (with("response", json!("x".repeat(11_000_000))), "FILE_TOO_LARGE", RESPONSE),
    ];
    for (content, code, words) in rows {
        shop.put(RESPONSE, content);
        refused(&shop, code, words);
    }
    shop.take(RESPONSE);
    // A newer minor version is read.
    shop.put(RESPONSE, with("version", json!("1.7")));
    assert_eq!(shop.resume().exits(42).json()["phase"], 5);
}

#[test]
fn a_link_in_the_place_of_a_file_is_never_followed() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    let target = shop.file("elsewhere.json", good(&shop).to_string());
    symlink(&target, shop.project().join(RESPONSE)).unwrap();
    refused(&shop, "LINK_REFUSED", RESPONSE);
    shop.take(RESPONSE);
    fs::create_dir(shop.project().join(RESPONSE)).unwrap();
    refused(&shop, "FILE_REFUSED", RESPONSE);
    fs::remove_dir(shop.project().join(RESPONSE)).unwrap();
    // The state, too.
    let state = fs::read(shop.project().join(STATE)).unwrap();
    let target = shop.file("state.json", state);
    shop.take(STATE);
    symlink(&target, shop.project().join(STATE)).unwrap();
    refused(&shop, "LINK_REFUSED", STATE);
}

#[test]
fn an_answer_to_an_earlier_request_never_counts() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    let first = good(&shop);
    shop.respond(json!({"status": "timeout"}));
    shop.resume().exits(42);
    assert_ne!(shop.request()["request_id"], first["request_id"]);
    // The first agent was only late: its answer is to a request that is over.
    shop.put(RESPONSE, first.to_string());
    refused(&shop, "RESPONSE_MISMATCH", "earlier request of phase 1");
    shop.take(RESPONSE);
    shop.answer();
    assert_eq!(shop.resume().exits(42).json()["phase"], 5);
    // And what was taken for phase 1 is not taken for phase 5.
    let told = fs::read(shop.project().join(STATE)).unwrap();
    let state: Value = serde_json::from_slice(&told).unwrap();
    let first = state["agent_requests"][1]["request_id"].clone();
    let mut stale = good(&shop);
    stale["request_id"] = first;
    shop.put(RESPONSE, stale.to_string());
    refused(&shop, "RESPONSE_MISMATCH", "completed");
}

#[test]
fn what_was_consumed_before_a_crash_is_removed_and_not_taken_again() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    shop.answer();
    let taken = fs::read(shop.project().join(RESPONSE)).unwrap();
    shop.resume().exits(42);
    let state = fs::read(shop.project().join(STATE)).unwrap();
    // As a crash between the commit and the removal would have left it.
    shop.put(RESPONSE, &taken);
    shop.resume().exits(42);
    assert!(!shop.project().join(RESPONSE).exists());
    assert_eq!(fs::read(shop.project().join(STATE)).unwrap(), state);
}

#[test]
fn an_older_time_only_warns() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    let mut response = good(&shop);
    response["created_at"] = json!("2001-01-01T00:00:00Z");
    shop.put(RESPONSE, response.to_string());
    let (project, output) = (shop.project(), shop.output());
    let args = [
        "template",
        "create",
        "--path",
        &project.to_string_lossy(),
        "--name",
        "order-api",
        "--output",
        &output.to_string_lossy(),
        "--resume",
    ]
    .map(str::to_owned);
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    shop.run(&args).exits(42).telling("older");
}

#[test]
fn files_that_lie_there_are_not_trusted() {
    for name in [STATE, REQUEST, RESPONSE] {
        let shop = Workshop::new();
        shop.put(name, "{}");
        let error = shop.create(&[]).exits(1).error();
        assert_eq!(error["code"], "BRIDGE_FILES_PRESENT");
        assert!(error.to_string().contains(name), "{error}");
        shop.create(&["--fresh"]).exits(42);
        let aside: Vec<_> = shop
            .there()
            .into_iter()
            .filter(|it| it.starts_with(&format!("{name}.aside-")))
            .collect();
        assert_eq!(aside.len(), 1, "what lay there is kept");
    }
}

#[test]
fn a_state_that_cannot_be_gone_on_with_is_refused() {
    let shop = Workshop::new();
    assert_eq!(shop.resume().exits(1).error()["code"], "NOTHING_TO_RESUME");
    shop.create(&[]).exits(42);
    let whole = shop.read(STATE);
    let with = |pointer: &str, value: Value| {
        let mut state = whole.clone();
        *state.pointer_mut(pointer).expect("it is there") = value;
        state.to_string()
    };
    let rows = [
        ("{".to_owned(), "STATE_REFUSED", "JSON"),
        // As the original tool writes it when nothing is set.
        (with("/template_name", Value::Null), "STATE_REFUSED", "template_name"),
        (with("/phase", json!(10)), "STATE_REFUSED", "phase"),
        (with("/phase", json!(4)), "STATE_REFUSED", "phase 4"),
        (with("/version", json!("2.0")), "STATE_REFUSED", "2.0"),
        (with("/output_path", json!("/somewhere/else")), "STATE_MISMATCH", "/somewhere/else"),
        (with("/project_path", json!("/somewhere/else")), "STATE_MISMATCH", "/somewhere/else"),
        (with("/phase_data/consign", json!({})), "STATE_REFUSED", "consign"),
        (with("/phase_data/consign/step", json!("dance")), "STATE_REFUSED", "dance"),
        (with("/phase_data/consign/step", json!({"enhance": 7})), "STATE_REFUSED", "phase"),
    ];
    for (content, code, words) in rows {
        shop.put(STATE, content);
        refused(&shop, code, words);
    }
}

#[test]
fn a_state_of_another_tool_is_gone_on_with() {
    let shop = Workshop::new();
    // As the original tool leaves it in phase 5, with a request that somebody has answered.
    let path = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
    let id = "550e8400-e29b-41d4-a716-446655440000";
    let state = json!({
        "version": "1.0", "phase": 5, "phase_name": "agent_recommendation",
        "checkpoint_name": "before_agent_invocation", "created_at": "2025-11-18T10:30:00Z",
        "output_path": path(shop.output()), "project_path": path(shop.project()),
        "template_name": "order-api",
        "phase_data": {"codebase_analysis": {"primary_language": "Python", "framework": "FastAPI",
            "patterns": ["Service Layer"]}, "theirs": {"kept": true}},
        "completed_phases": [{"phase": 1, "phase_name": "codebase_analysis",
            "completed_at": "2025-11-18T10:25:00Z", "result_summary": "Analyzed 30 files, confidence 0.92"}],
        "agent_requests": [{"request_id": "a", "agent_name": "architectural-reviewer", "phase": 1,
            "status": "completed"}],
    });
    let request = json!({
        "request_id": id, "version": "1.0", "phase": 5, "phase_name": "agent_creation",
        "agent_name": "architectural-reviewer", "prompt": "Which agents? ".repeat(10),
        "created_at": "2025-11-18T10:30:00Z",
    });
    shop.put(STATE, state.to_string());
    shop.put(REQUEST, request.to_string());
    let said = answer(&request, 0.9).to_string();
    let response = json!({"request_id": id, "version": "1.0", "status": "success", "response": said,
        "created_at": "2025-11-18T10:31:45Z"});
    shop.put(RESPONSE, response.to_string());
    let told = shop.resume().exits(42).json();
    assert_eq!(told["phase"], 7, "neither phase 1 nor phase 5 is asked again");
    let state = shop.read(STATE);
    assert_eq!(state["phase_data"]["codebase_analysis"]["patterns"], json!(["Service Layer"]));
    assert_eq!(state["phase_data"]["theirs"], json!({"kept": true}));
    let asked = state["agent_requests"].as_array().unwrap();
    let asked: Vec<_> = asked.iter().map(|asked| text(asked, "status")).collect();
    assert_eq!(asked, ["completed", "completed", "pending"]);
}

#[test]
fn one_works_and_the_other_is_told() {
    let shop = Workshop::new();
    // One that is at work for a while.
    let script = shop.file(
        "slow.json",
        r#"[{"agent": "*", "status": "cancelled", "delay_ms": 1500, "times": 0}]"#,
    );
    let mut first = shop.creating(&["--agent-script", &script]).into_command();
    first.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut first = first.spawn().unwrap();
    crate::home::until("it is at work", || shop.there().contains(STATE).then_some(()));
    let error = shop.create(&["--fresh"]).exits(1).error();
    assert_eq!(error["code"], "PROJECT_BUSY");
    assert_eq!(shop.resume().exits(1).error()["code"], "PROJECT_BUSY");
    assert!(first.wait().unwrap().success());
    assert!(shop.output().join("manifest.json").is_file() && shop.there().is_empty());
}

#[test]
fn an_output_that_is_taken_is_refused_before_anything_is_done() {
    let shop = Workshop::new();
    fs::create_dir(shop.output()).unwrap();
    fs::write(shop.output().join("precious"), "").unwrap();
    assert_eq!(shop.create(&[]).exits(1).error()["code"], "OUTPUT_REFUSED");
    assert!(shop.there().is_empty());
    // One that is taken meanwhile loses nothing that was paid for.
    fs::remove_file(shop.output().join("precious")).unwrap();
    shop.create(&["--no-agents"]).exits(42);
    shop.answer();
    fs::write(shop.output().join("precious"), "").unwrap();
    assert_eq!(shop.resume().exits(1).error()["code"], "OUTPUT_REFUSED");
    fs::remove_file(shop.output().join("precious")).unwrap();
    let report = shop.resume().exits(0).json();
    assert_eq!((&report["requests"], &report["fallbacks"]), (&json!(1), &json!([])));
}

#[test]
fn a_project_without_source_is_an_error_that_leaves_nothing() {
    let shop = Workshop::new();
    fs::remove_dir_all(shop.project()).unwrap();
    fs::create_dir(shop.project()).unwrap();
    assert_eq!(shop.create(&[]).exits(1).error()["code"], "NOTHING_TO_READ");
    assert!(shop.there().is_empty());
}

#[test]
fn a_request_that_is_over_cannot_be_answered_any_more() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    let spent = fs::read(shop.project().join(REQUEST)).unwrap();
    shop.answer();
    shop.resume().exits(42);
    // As a crash between the commit and the removal would have left it.
    shop.put(REQUEST, &spent);
    shop.resume().exits(42);
    assert_eq!(shop.request()["phase"], 5, "the pending request is in its place");
}

#[test]
fn what_is_begun_anew_leaves_nothing_in_the_inbox() {
    let shop = Workshop::new();
    let first = shop.create(&[]).exits(42).json();
    let second = shop.create(&["--fresh"]).exits(42).json();
    assert_ne!(first["run"], second["run"]);
    assert_eq!(shop.home.status(text(&first, "run")), "failed");
    let asked = shop.home.run(&["inbox", "--json"]).exits(0).json();
    assert_eq!(asked["run"], second["run"]);
    // What was moved aside is no source.
    shop.answer();
    let mut outcome = shop.resume();
    while outcome.code == Some(42) {
        shop.answer();
        outcome = shop.resume();
    }
    let report = outcome.exits(0).json();
    assert!(!report["files"].to_string().contains(".aside-"), "{report}");
}

#[test]
fn a_state_cannot_take_the_place_of_another_run() {
    let (shop, other) = (Workshop::new(), Workshop::new());
    let told = other.create(&[]).exits(42).json();
    shop.create(&[]).exits(42);
    let mut state = shop.read(STATE);
    state["phase_data"]["consign"]["run"] = told["run"].clone();
    shop.put(STATE, state.to_string());
    // The same home, so that both are there.
    let run = text(&told, "run");
    let mut resumed = shop.creating(&["--resume"]);
    resumed = resumed.env("CONSIGN_HOME", other.home.path());
    resumed.run().exits(42);
    let shown = other.home.show(run).to_string();
    assert!(shown.contains(&*other.project().to_string_lossy()), "{shown}");
    assert!(!shown.contains(&*shop.project().to_string_lossy()), "{shown}");
}

#[test]
fn a_script_of_a_state_is_read_only_where_somebody_says_so() {
    let shop = Workshop::new();
    shop.create(&[]).exits(42);
    let mut state = shop.read(STATE);
    state["phase_data"]["consign"]["options"]["agent_script"] = json!("/etc/passwd");
    shop.put(STATE, state.to_string());
    assert_eq!(shop.resume().exits(2).error()["code"], "SCRIPT_WANTED");
}

#[test]
fn a_template_goes_neither_into_its_project_nor_around_it() {
    let shop = Workshop::new();
    let project = shop.project().to_string_lossy().into_owned();
    for output in [format!("{project}/template"), project.clone(), format!("{project}/..")] {
        let args = [
            "template",
            "create",
            "--json",
            "--path",
            &project,
            "--name",
            "order-api",
            "--output",
            &output,
        ];
        assert_eq!(shop.run(&args).exits(2).error()["code"], "OUTPUT_INVALID", "{output}");
    }
    assert!(shop.there().is_empty());
}
