//! The same request, answered by file, in the inbox, over HTTP and over MCP: the same next state.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use serde_json::{Value, json};

use super::workshop::{RESPONSE, STATE, Workshop, answer};
use crate::support::text;

/// What must not depend on who answered: everything but ids and times.
fn plain(mut state: Value, shop: &Workshop) -> Value {
    let consign = &mut state["phase_data"]["consign"];
    for name in ["run", "asked_at", "consumed"] {
        consign[name] = Value::Null;
    }
    for name in ["request_id", "created_at", "context"] {
        consign["pending_request"][name] = Value::Null;
    }
    for request in state["agent_requests"].as_array_mut().unwrap() {
        request["request_id"] = Value::Null;
    }
    for phase in state["completed_phases"].as_array_mut().unwrap() {
        phase["completed_at"] = Value::Null;
    }
    state["created_at"] = Value::Null;
    let folder = shop.project();
    let folder = folder.parent().unwrap().to_string_lossy().into_owned();
    serde_json::from_str(&state.to_string().replace(&folder, "")).unwrap()
}

/// Answers by one surface, and gives the state after `--resume` and the kinds of the run's events.
fn by(answers: impl FnOnce(&Workshop, &str, &str, &Value)) -> (Value, Vec<String>) {
    let shop = Workshop::new();
    let told = shop.create(&[]).exits(42).json();
    let (run, id) = (text(&told, "run").to_owned(), text(&told, "request_id").to_owned());
    let said = answer(&shop.request(), 0.9);
    answers(&shop, &run, &id, &said);
    assert!(shop.there().contains(RESPONSE), "answering only writes the file");
    let twice =
        shop.home.run(&["runs", "answer", &run, &id, "--value", &said.to_string(), "--json"]);
    assert_eq!(twice.exits(1).error()["code"], "ALREADY_ANSWERED");
    shop.resume().exits(42);
    shop.home.run(&["runs", "verify", &run]).exits(0);
    let events = shop.home.run(&["runs", "show", &run, "--events", "--json"]);
    let events = events.exits(0).json_lines();
    let kinds = events.iter().map(|event| text(event, "kind").to_owned()).collect();
    (plain(shop.read(STATE), &shop), kinds)
}

#[test]
fn whoever_answers_the_next_state_is_the_same() {
    let file = by(|shop, _, _, said| {
        shop.respond(json!({"status": "success", "response": said.to_string()}));
    });
    let inbox = by(|shop, run, id, said| {
        let asked = shop.home.run(&["inbox", "--json"]).exits(0).json();
        assert_eq!((text(&asked, "run"), text(&asked, "interaction")), (run, id));
        assert_eq!(text(&asked, "agent"), "architectural-reviewer");
        shop.home.run(&["runs", "answer", run, id, "--value", &said.to_string()]).exits(0);
    });
    let http = by(|shop, run, id, said| {
        let server = super::server::Server::start(shop);
        let (code, _) =
            server.post(&format!("/api/runs/{run}/answers/{id}"), &json!({"value": said}));
        assert_eq!(code, 200);
    });
    let mcp = by(|shop, run, id, said| {
        let told = super::server::mcp(
            shop,
            "inbox_answer",
            &json!({"run": run, "interaction": id, "value": said}),
        );
        assert_ne!(told["isError"], true, "{told}");
    });
    let hand = by(|shop, _, _, said| {
        let file = shop.file("said.json", said.to_string());
        let project = shop.project().to_string_lossy().into_owned();
        shop.run(&["bridge", "answer", "--path", &project, "--file", &file]).exits(0);
    });
    for (what, other) in [("inbox", inbox), ("http", http), ("mcp", mcp), ("bridge answer", hand)] {
        assert_eq!(other.0, file.0, "{what}: the state");
        assert_eq!(other.1, file.1, "{what}: the journal");
    }
}

#[test]
fn whoever_declines_leaves_it_to_the_heuristics() {
    let shop = Workshop::new();
    let told = shop.create(&[]).exits(42).json();
    let (run, id) = (text(&told, "run"), text(&told, "request_id"));
    shop.home.run(&["runs", "answer", run, id, "--decline", "no time"]).exits(0);
    let response = shop.read(RESPONSE);
    assert_eq!(
        (&response["status"], &response["error_message"]),
        (&json!("cancelled"), &json!("no time"))
    );
    shop.resume().exits(42);
    assert_eq!(shop.read(STATE)["phase_data"]["consign"]["notes"][0]["why"], "cancelled: no time");
}
